import { z } from '@hono/zod-openapi'
import { MAX_NUMBERS } from './number-fields.js'

const MAX_REFERENCE = 64

/** An element that may come once, as an object by itself, or several times. */
const oneOrMore = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value

/**
 * The body of an operation of `/v2` on a list of numbers: `tnList.tnItem`, with a reference. `what` and
 * `items` are for the description: `order`, and `each with its route`.
 */
export function tnRequest<Item extends z.ZodType>(item: Item, what: string, items: string) {
  return z
    .object({
      customerOrderReference: z
        .string()
        .trim()
        .max(MAX_REFERENCE)
        .optional()
        .openapi({ description: `A name of yours for the ${what}; by default one is made.` }),
      tnList: z
        .object({
          tnItem: z.preprocess(oneOrMore, z.array(item).min(1).max(MAX_NUMBERS)).openapi({
            type: 'array',
            description: `The numbers, at most ${MAX_NUMBERS}, ${items}.`,
          }),
        })
        .openapi({ description: 'The numbers.' }),
    })
    .openapi({ description: `The ${what}.` })
}
