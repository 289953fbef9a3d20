/** `Page`, `PageSize`, `PageToken` and the envelope around a page. Pure. */
import { z } from '@hono/zod-openapi'
import type { Listed, ListPage, Paging } from '../../platform/api/list-operation.js'
import { ApiError } from './errors.js'
import { queryText } from './form.js'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000

const pageQuery = z.object({
  Page: queryText('The number of the page, from 0.'),
  PageSize: queryText(`How many records a page has: 1 to ${MAX_PAGE_SIZE}, else 50.`),
  PageToken: queryText('Where the page begins or ends, as the URIs of a page have it.'),
})

const pageUri = (description: string) => z.string().openapi({ description })
const envelopeFields = {
  page: z.number().int().openapi({ description: 'The number of the page, from 0.' }),
  page_size: z.number().int().openapi({ description: 'How many records a page has.' }),
  num_pages: z.number().int().openapi({ description: 'How many pages there are.' }),
  total: z.number().int().openapi({ description: 'How many records there are.' }),
  first_page_uri: pageUri('The path of the first page.'),
  next_page_uri: pageUri('The path of the next page, if there is one.').nullable(),
  previous_page_uri: pageUri('The path of the page before, if there is one.').nullable(),
  uri: pageUri('The path of this page.'),
}

export const voicePaging: Paging = {
  query: pageQuery,
  records: (name, record) => z.object({ [name]: z.array(record), ...envelopeFields }),
  read: (query) => readPage(query as z.infer<typeof pageQuery>), // parsed by it
  wrap: (name, listed, page, request) => ({
    [name]: listed.items,
    ...envelope(listed.path ?? request.path, request.search, page, listed),
  }),
}

function readPage(query: z.infer<typeof pageQuery>): ListPage {
  const limit = wholeNumber('PageSize', query.PageSize, DEFAULT_PAGE_SIZE)
  if (limit > MAX_PAGE_SIZE)
    throw new ApiError(400, 20007, `Page size too large, the maximum is ${MAX_PAGE_SIZE}`)
  if (limit < 1) throw new ApiError(400, 20422, "'PageSize' is not valid: must be 1 to 1000")
  const offset = limit * wholeNumber('Page', query.Page, 0)
  const token = query.PageToken ?? ''
  if (token === '') return { offset, limit }
  const [, side, sid = ''] = /^P([AB])([A-Z]{2}[0-9a-fA-F]{32})$/.exec(token) ?? []
  if (side === undefined) throw new ApiError(400, 21481, 'Invalid PageToken')
  const cursor = { side: side === 'A' ? 'after' : 'before', sid } as const
  return { offset, limit, cursor }
}

function wholeNumber(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === '') return fallback
  if (!/^\d{1,9}$/.test(value))
    throw new ApiError(400, 20422, `'${name}' is not valid: must be a whole number`)
  return Number(value)
}

function envelope(
  path: string,
  query: URLSearchParams,
  { offset, limit }: ListPage,
  { total, first, nextAfter }: Listed<unknown>,
) {
  const page = offset / limit
  const uriOf = (wanted: number, token?: string): string => {
    const params = new URLSearchParams(
      [...query].filter(([name]) => !['Page', 'PageSize', 'PageToken'].includes(name)),
    )
    params.set('PageSize', String(limit))
    params.set('Page', String(wanted))
    if (token !== undefined) params.set('PageToken', token)
    return `${path}.json?${params.toString()}`
  }
  const previousToken = first === undefined ? undefined : `PB${first}`
  return {
    page,
    page_size: limit,
    num_pages: Math.ceil(total / limit),
    total,
    first_page_uri: uriOf(0),
    next_page_uri: nextAfter === undefined ? null : uriOf(page + 1, `PA${nextAfter}`),
    previous_page_uri: page > 0 ? uriOf(page - 1, previousToken) : null,
    uri: uriOf(page, query.get('PageToken') ?? undefined),
  }
}

/** A page of a list that is known whole, each item named by its call. */
export function pageOfCalls<Item extends { readonly callSid: string }>(
  all: readonly Item[],
  page: ListPage,
): Listed<Item> {
  const items = slice(all, page)
  const last = items.at(-1)
  return {
    items,
    total: all.length,
    first: items[0]?.callSid,
    nextAfter: last === undefined || last === all.at(-1) ? undefined : last.callSid,
  }
}

/** The call that a cursor names may have left: the number of the page counts then. */
function slice<Item extends { readonly callSid: string }>(
  all: readonly Item[],
  { offset, limit, cursor }: ListPage,
): readonly Item[] {
  const at = cursor === undefined ? -1 : all.findIndex(({ callSid }) => callSid === cursor.sid)
  if (at < 0) return all.slice(offset, offset + limit)
  return cursor?.side === 'after'
    ? all.slice(at + 1, at + 1 + limit)
    : all.slice(Math.max(0, at - limit), at)
}
