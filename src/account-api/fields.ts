/** Fields that operations of both styles share. */
import { z } from '@hono/zod-openapi'
import { USERNAME } from '../accounts/usernames.js'

const MAX_NAME = 64
const MAX_EMAIL = 254
const MAX_PASSWORD = 128

export const username = z
  .string()
  .regex(USERNAME, 'ten digits are expected')
  .openapi({ description: 'The name of the account: ten digits.' })

export const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .openapi({ description: 'A name for people.' })

export const email = z
  .email('an address of mail is expected')
  .max(MAX_EMAIL)
  .openapi({ description: 'The address of mail.' })

export const password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD)
  .openapi({ description: 'The password of the account.' })

export const shownUsername = z
  .string()
  .openapi({ description: 'The name of the account: ten digits.' })

export const flag = (description: string) => z.boolean().openapi({ description })
export const shownText = (description: string) => z.string().openapi({ description })
export const shownNumber = (description: string) => z.number().openapi({ description })

/** A time as both styles write it (ISO 8601). */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}
