import { z } from '@hono/zod-openapi'
import { ONE_LINE } from '../../platform/text.js'
import { MAX_NUMBERS } from './number-fields.js'

const MAX_REFERENCE = 64

/** Wraps a single object in an array: a list with one element may come without its array. */
const oneOrMore = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value

/** The `tnItem` elements of an operation of `/v2`; one element may come without the array. */
export function tnItems<Item extends z.ZodType>(item: Item, max: number, description: string) {
  return z
    .preprocess(oneOrMore, z.array(item).min(1).max(max))
    .openapi({ type: 'array', description })
}

/**
 * The body of an operation of `/v2` on a list of numbers: `tnList.tnItem`, with a reference. `what` and `items`
 * are words of the description: `order`, `each with its route`.
 */
export function tnRequest<Item extends z.ZodType>(item: Item, what: string, items: string) {
  return z
    .object({
      customerOrderReference: z
        .string()
        .trim()
        .max(MAX_REFERENCE)
        .regex(ONE_LINE, 'one line of text is expected')
        .optional()
        .openapi({ description: `A name of yours for the ${what}; by default one is made.` }),
      tnList: z
        .object({
          tnItem: tnItems(item, MAX_NUMBERS, `The numbers, at most ${MAX_NUMBERS}, ${items}.`),
        })
        .openapi({ description: 'The numbers.' }),
    })
    .openapi({ description: `The ${what}.` })
}
