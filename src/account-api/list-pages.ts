/** Paging of lists, the same in both styles: parameters `limit` and `after`, answer field `next`. */
import { z } from '@hono/zod-openapi'
import type { PageRequest, Position } from '../platform/database/newest-first.js'
import { integer } from './fields.js'

/** Default maximum number of items in one answer. */
export const MAX_LISTED = 10_000

const PLACE = /^([0-9]{1,15})-([A-Za-z0-9]{1,64})$/

const after = z
  .string()
  .transform((text, context): Position => {
    const [, at, sid] = PLACE.exec(text) ?? []
    if (at !== undefined && sid !== undefined) return { at: Number(at), sid }
    context.addIssue({ code: 'custom', message: 'the `next` of the page before is expected' })
    return z.NEVER
  })
  .openapi({ type: 'string', description: 'The `next` of the page before.' })

export const limitUpTo = (max: number) =>
  integer('The most items of the answer.', { min: 1, max }).default(max)

/** The fields that ask for a page of a list with the newest first. */
export const pageFields = (max = MAX_LISTED) => ({ limit: limitUpTo(max), after: after.optional() })

/** Converts the paging fields of a request to the storage's form. */
export function pageRequest({ limit, after: place }: AskedPage): PageRequest {
  return { limit, offset: 0, cursor: place && { ...place, side: 'after' } }
}

interface AskedPage {
  readonly limit: number
  readonly after?: Position | undefined
}

export const shownNext = z.string().nullable().openapi({
  description: 'The `after` of the page that follows; null when there is nothing more.',
})

export function shownPlace(place: Position | undefined): string | null {
  return place === undefined ? null : `${place.at}-${place.sid}`
}
