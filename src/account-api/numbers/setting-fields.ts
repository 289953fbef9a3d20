/** The settings of numbers that operations of both styles set. */
import { z } from '@hono/zod-openapi'
import { isPossiblePhoneNumber } from 'libphonenumber-js/max'
import { PORT_OUT_PIN } from '../../numbers/port-out-pins.js'
import { number } from './number-fields.js'

const MAX_USER = 64

/** A number that a country, or a network without one, can have: its code and its length are known. */
export const destination = number
  .refine((e164) => isPossiblePhoneNumber(e164), 'a number that can be called is expected')
  .openapi({
    type: 'string',
    description: 'The number that calls go to: E.164, or ten digits.',
  })

/** The name that calls show to who is called: the length of a record of callers' names. */
export const callerName = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]{0,15}$/, 'at most 15 printable ASCII characters are expected')
  .openapi({ description: 'The name, at most 15 characters; empty: none.' })

export const translation = z
  .union([z.string(), z.number().int()], 'at most 32 digits are expected')
  .transform(String)
  .pipe(z.string().regex(/^\+?[0-9*#]{0,32}$/, 'at most 32 digits are expected'))
  .openapi({
    type: 'string',
    description: 'The digits that the destination gets as the called number; empty: none.',
  })

export const pin = z
  .union([z.string(), z.number().int()], 'four digits are expected')
  .transform(String)
  .pipe(z.string().regex(PORT_OUT_PIN, 'four digits are expected'))
  .openapi({ type: 'string', description: 'The PIN: four digits.' })

export const user = z
  .string()
  .trim()
  .max(MAX_USER)
  .regex(/^[^\s<>"@:;]*(@[^\s<>"@:;]+)?$/, 'a user name is expected, perhaps with its domain')
  .openapi({
    description: 'Route 1 (USER) only: the registered user that calls go to; empty: any.',
  })

/** The text, or null where an empty one clears the setting. */
export function orCleared(text: string): string | null {
  return text === '' ? null : text
}
