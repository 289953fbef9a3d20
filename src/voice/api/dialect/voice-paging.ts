/**
 * Reads `Page`, `PageSize` and `PageToken`, and writes the envelope of a page. Pure. A token holds
 * a list position, so it stays valid when the record there is deleted.
 */
import { z } from '@hono/zod-openapi'
import type { ApiRequest } from '../../../platform/api/api-request.js'
import type { Listed, ListPage, Paging, Position } from '../../../platform/api/list-operation.js'
import { lastIn } from '../../../platform/api/repeated.js'
import { sha256Hex } from '../../../platform/secrets.js'
import { ApiError } from './errors.js'
import { queryText } from './form.js'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000

const pageQuery = z.object({
  Page: queryText('The number of the page, from 0.'),
  PageSize: queryText(`How many records a page has: 1 to ${MAX_PAGE_SIZE}, else 50.`),
  PageToken: queryText('Where the page begins or ends, as the URIs of a page have it.'),
})

const PAGE_FIELDS: ReadonlySet<string> = new Set(['Page', 'PageSize', 'PageToken'])

/** Response header with the total, because the documented body has no field for it. */
const TOTAL_HEADER = 'X-Total-Is'

const pageUri = (description: string) => z.string().openapi({ description })
const envelopeFields = {
  page: z.number().int().openapi({ description: 'The number of the page, from 0.' }),
  page_size: z.number().int().openapi({ description: 'How many records a page has.' }),
  num_pages: z.number().int().openapi({ description: 'How many pages `total` records have.' }),
  total: z
    .number()
    .int()
    .openapi({
      description: `How many records there are. Where the header \`${TOTAL_HEADER}\` says \`lower-bound\` there may be more.`,
    }),
  first_page_uri: pageUri('The path of the first page.'),
  next_page_uri: pageUri('The path of the next page, if there is one.').nullable(),
  previous_page_uri: pageUri('The path of the page before, if there is one.').nullable(),
  uri: pageUri('The path of this page.'),
}
const rangeFields = {
  start: z.number().int().openapi({ description: 'The number of the first record, from 0.' }),
  end: z.number().int().openapi({ description: 'The number of the last record, from 0.' }),
}
/** Lists whose envelope has no `start` and `end`. */
const WITHOUT_RANGE: ReadonlySet<string> = new Set(['calls', 'streams', 'transcriptions'])

export const voicePaging: Paging = {
  query: pageQuery,
  records: (name, record) => {
    const fields = { [name]: z.array(record), ...envelopeFields }
    return z.object(WITHOUT_RANGE.has(name) ? fields : { ...fields, ...rangeFields })
  },
  read: (query, request) => readPage(query as z.infer<typeof pageQuery>, request), // the type that pageQuery parsed
  wrap: (name, listed, page, request) => {
    const around = envelope(listed.path ?? request.path, request, page, listed)
    if (WITHOUT_RANGE.has(name)) return { [name]: listed.items, ...around }
    const start = listed.items.length === 0 ? 0 : page.offset
    const end = Math.max(start, page.offset + listed.items.length - 1)
    return { [name]: listed.items, ...around, start, end }
  },
  headersOf: ({ totalIs }) => (totalIs === 'lower-bound' ? { [TOTAL_HEADER]: totalIs } : undefined),
}

function readPage(query: z.infer<typeof pageQuery>, request: ApiRequest): ListPage {
  const limit = wholeNumber('PageSize', query.PageSize, DEFAULT_PAGE_SIZE)
  if (limit > MAX_PAGE_SIZE)
    throw new ApiError(400, 20007, `Page size too large, the maximum is ${MAX_PAGE_SIZE}`)
  if (limit < 1) throw new ApiError(400, 20422, "'PageSize' is not valid: must be 1 to 1000")
  const offset = limit * wholeNumber('Page', query.Page, 0)
  const token = query.PageToken ?? ''
  if (token === '') return { offset, limit }
  return { offset, limit, cursor: readToken(token, request.path) }
}

/** Reads a PageToken. A token of another list is refused. */
function readToken(token: string, path: string): NonNullable<ListPage['cursor']> {
  const [, letter, sid = '', at = '', proof] =
    /^P([AB])([A-Z]{2}[0-9a-fA-F]{32})-([0-9a-z]{1,11})-([0-9a-f]{8})$/.exec(token) ?? []
  const position = { sid, at: Number.parseInt(at, 36) }
  if (letter === undefined || proof !== proofOf(position, path))
    throw new ApiError(400, 21481, 'Invalid PageToken')
  return { ...position, side: letter === 'A' ? 'after' : 'before' }
}

/**
 * Returns the PageToken of the page after (`A`) or before (`B`) a position in the list at this
 * path.
 */
export function tokenOf(side: 'A' | 'B', position: Position, path: string): string {
  return `P${side}${position.sid}-${position.at.toString(36)}-${proofOf(position, path)}`
}

/** A checksum that ties a position to its list. It is not a secret. */
function proofOf({ sid, at }: Position, path: string): string {
  return sha256Hex(`${path.toLowerCase()} ${sid} ${at}`).slice(0, 8)
}

function wholeNumber(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === '') return fallback
  if (!/^\d{1,9}$/.test(value))
    throw new ApiError(400, 20422, `'${name}' is not valid: must be a whole number`)
  return Number(value)
}

function envelope(
  path: string,
  request: ApiRequest,
  { offset, limit }: ListPage,
  { total, first, nextAfter }: Listed<unknown>,
) {
  const page = offset / limit
  const query = request.search
  const others = [...query].filter(([name]) => !PAGE_FIELDS.has(name))
  const filter = others.length === 0 ? '' : `${new URLSearchParams(others).toString()}&`
  const list = `${path}.${request.suffix === 'xml' ? 'xml' : 'json'}?${filter}PageSize=${limit}`
  const uriOf = (wanted: number, token?: string): string => {
    const uri = `${list}&Page=${wanted}`
    return token === undefined ? uri : `${uri}&PageToken=${encodeURIComponent(token)}`
  }
  const previousToken = first && tokenOf('B', first, path)
  return {
    page,
    page_size: limit,
    num_pages: Math.ceil(total / limit),
    total,
    first_page_uri: uriOf(0),
    next_page_uri: nextAfter === undefined ? null : uriOf(page + 1, tokenOf('A', nextAfter, path)),
    previous_page_uri: page > 0 ? uriOf(page - 1, previousToken) : null,
    uri: uriOf(page, lastIn(query, 'PageToken')),
  }
}

/** Returns the position of a record in a list sorted by creation time. */
export function positionOf(
  record: { readonly createdAt: number; readonly sid: string } | undefined,
): Position | undefined {
  return record && { at: record.createdAt, sid: record.sid }
}

type Compare = (a: Position, b: Position) => number

export const oldestFirst: Compare = (a, b) =>
  a.at - b.at || (a.sid < b.sid ? -1 : a.sid > b.sid ? 1 : 0)
export const newestFirst: Compare = (a, b) => oldestFirst(b, a)

/** Returns one page of a list that is completely in memory, sorted by `compare`. */
export function pageOfAll<Item>(
  items: readonly Item[],
  page: ListPage,
  where: (item: Item) => Position,
  compare: Compare,
): Listed<Item> {
  const all = [...items].sort((a, b) => compare(where(a), where(b)))
  const shown = slice(all, page, where, compare)
  const [first, last] = [shown[0], shown.at(-1)]
  return {
    items: shown,
    total: all.length,
    first: first && where(first),
    nextAfter: last === undefined || last === all.at(-1) ? undefined : where(last),
  }
}

function slice<Item>(
  all: readonly Item[],
  { offset, limit, cursor }: ListPage,
  where: (item: Item) => Position,
  compare: Compare,
): readonly Item[] {
  if (cursor === undefined) return all.slice(offset, offset + limit)
  if (cursor.side === 'after')
    return all.filter((item) => compare(where(item), cursor) > 0).slice(0, limit)
  return all.filter((item) => compare(where(item), cursor) < 0).slice(-limit)
}
