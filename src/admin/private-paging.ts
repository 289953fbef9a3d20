/** Paging of the private listener's lists: `pageSize`, `pageToken` and `nextPageToken`. */
import { z } from '@hono/zod-openapi'
import { listsOf, type Paging, type Position } from '../platform/api/list-operation.js'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000
const TOKEN = /^([0-9a-z]{1,11})-([A-Z]{2}[0-9a-f]{32})$/

const pageQuery = z.object({
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_SIZE)
    .default(DEFAULT_PAGE_SIZE)
    .openapi({ description: 'How many records a page has.' }),
  pageToken: z
    .string()
    .regex(TOKEN, 'not the nextPageToken of a page')
    .optional()
    .openapi({ description: 'The nextPageToken of the page before.' }),
})

const privatePaging: Paging = {
  query: pageQuery,
  isStrict: true,
  records: (name, record) =>
    z.object({
      [name]: z.array(record).openapi({ description: 'The newest first.' }),
      nextPageToken: z
        .string()
        .nullable()
        .openapi({ description: 'The pageToken of the next page; null on the last one.' }),
    }),
  read: (query) => {
    const { pageSize: limit, pageToken } = query as z.infer<typeof pageQuery> // parsed by it
    const position = pageToken === undefined ? undefined : positionOf(pageToken)
    return { offset: 0, limit, cursor: position && { ...position, side: 'after' } }
  },
  wrap: (name, { items, nextAfter }) => ({
    [name]: items,
    nextPageToken: nextAfter === undefined ? null : tokenOf(nextAfter),
  }),
}

/** Declares a list of the private listener. */
export const list = listsOf<unknown>(privatePaging)

function tokenOf({ at, sid }: Position): string {
  return `${at.toString(36)}-${sid}`
}

function positionOf(token: string): Position {
  const [, at = '', sid = ''] = TOKEN.exec(token) ?? []
  return { at: Number.parseInt(at, 36), sid }
}
