/** `Page`, `PageSize`, `PageToken` and the envelope around a page. Pure. */
import { ApiError } from './errors.js'

export interface PageRequest {
  readonly page: number
  readonly pageSize: number
  /** What the page begins after, or ends before; without it, `page` counts from the start. */
  readonly cursor?: { readonly side: 'after' | 'before'; readonly sid: string }
}

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000

export function readPage(query: URLSearchParams): PageRequest {
  const pageSize = wholeNumber(query, 'PageSize', DEFAULT_PAGE_SIZE)
  if (pageSize > MAX_PAGE_SIZE)
    throw new ApiError(400, 20007, `Page size too large, the maximum is ${MAX_PAGE_SIZE}`)
  if (pageSize < 1) throw new ApiError(400, 20422, "'PageSize' is not valid: must be 1 to 1000")
  const page = wholeNumber(query, 'Page', 0)
  const token = query.get('PageToken') ?? ''
  if (token === '') return { page, pageSize }
  const [, side, sid = ''] = /^P([AB])([A-Z]{2}[0-9a-fA-F]{32})$/.exec(token) ?? []
  if (side === undefined) throw new ApiError(400, 21481, 'Invalid PageToken')
  const cursor = { side: side === 'A' ? 'after' : 'before', sid } as const
  return { page, pageSize, cursor }
}

function wholeNumber(query: URLSearchParams, name: string, fallback: number): number {
  const value = query.get(name)
  if (value === null || value === '') return fallback
  if (!/^\d{1,9}$/.test(value))
    throw new ApiError(400, 20422, `'${name}' is not valid: must be a whole number`)
  return Number(value)
}

export interface Envelope {
  readonly page: number
  readonly page_size: number
  readonly num_pages: number
  readonly total: number
  readonly first_page_uri: string
  readonly next_page_uri: string | null
  readonly previous_page_uri: string | null
  readonly uri: string
}

export interface PageFacts {
  readonly total: number
  /** Sid of the page's first item. */
  readonly first: string | undefined
  /** Sid of the item that the next page begins after; undefined: there is no next page. */
  readonly nextAfter: string | undefined
}

export function envelope(
  path: string,
  query: URLSearchParams,
  request: PageRequest,
  { total, first, nextAfter }: PageFacts,
): Envelope {
  const { page, pageSize } = request
  const uriOf = (wanted: number, token?: string): string => {
    const params = new URLSearchParams(
      [...query].filter(([name]) => !['Page', 'PageSize', 'PageToken'].includes(name)),
    )
    params.set('PageSize', String(pageSize))
    params.set('Page', String(wanted))
    if (token !== undefined) params.set('PageToken', token)
    return `${path}.json?${params.toString()}`
  }
  const previousToken = first === undefined ? undefined : `PB${first}`
  return {
    page,
    page_size: pageSize,
    num_pages: Math.ceil(total / pageSize),
    total,
    first_page_uri: uriOf(0),
    next_page_uri: nextAfter === undefined ? null : uriOf(page + 1, `PA${nextAfter}`),
    previous_page_uri: page > 0 ? uriOf(page - 1, previousToken) : null,
    uri: uriOf(page, query.get('PageToken') ?? undefined),
  }
}
