import { z } from '@hono/zod-openapi'
import type { ApiRequest } from './api-request.js'
import {
  type BodilessRequest,
  type Operation,
  type OperationRequest,
  operationsOf,
  type ParamNames,
  WithHeaders,
} from './operation.js'

/** Position of an item in a list, valid even after its deletion: sort key, then name. */
export interface Position {
  readonly at: number
  readonly sid: string
}

/** The page that a client requests. */
export interface ListPage {
  readonly offset: number
  readonly limit: number
  /** The page starts after, or ends before, this position. */
  readonly cursor?: (Position & { readonly side: 'after' | 'before' }) | undefined
}

/** A page of a list, each item as the API shows it. */
export interface Listed<Item> {
  readonly items: readonly Item[]
  readonly total: number
  /** `lower-bound`: the total may be higher. Exact when absent. */
  readonly totalIs?: 'exact' | 'lower-bound'
  /** The positions of the first item, and of the last, after which the next page starts. */
  readonly first?: Position | undefined
  readonly nextAfter?: Position | undefined
  /** The list's path, where it differs from the path of the request. */
  readonly path?: string | undefined
}

/** How a dialect requests and wraps pages. */
export interface Paging {
  readonly query: z.ZodObject
  /** True when unknown list parameters are refused; otherwise they are ignored. */
  readonly isStrict?: boolean
  /** The schema around the records of a list. */
  records(name: string, record: z.ZodType): z.ZodType
  /** Returns the requested page; `query` has been parsed by `this.query`. */
  read(query: unknown, request: ApiRequest): ListPage
  wrap(name: string, listed: Listed<unknown>, page: ListPage, request: ApiRequest): object
  /** Headers that describe the page; undefined for none. */
  headersOf?(listed: Listed<unknown>): Readonly<Record<string, string>> | undefined
}

interface ListSpec<Caller, Path extends string, Query extends z.ZodObject, Item extends z.ZodType> {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly path: Path
  readonly aliases?: readonly string[]
  readonly row?: string
  /** Name of the records, for dialects that show one. */
  readonly name: string
  readonly record: Item
  readonly query?: Query
  /** Maximum number of records of a page; larger pages are cut. */
  readonly maxRecords?: number
  readonly params?: Operation<Caller>['params']
  readonly errors?: readonly number[]
  readonly runsAt?: (
    request: BodilessRequest<Caller, Readonly<Record<ParamNames<Path>, string>>>,
  ) => Promise<string | undefined>
  readonly run: (
    request: OperationRequest<Caller, Readonly<Record<ParamNames<Path>, string>>, z.infer<Query>>,
    page: ListPage,
  ) => Promise<Listed<z.infer<Item>>>
}

const noFilter = z.object({})

/** Returns the `list()` of an API with these callers; it declares an operation that answers a page. */
export function listsOf<Caller>(paging: Paging) {
  const operation = operationsOf<Caller>()
  return function list<
    const Path extends string,
    Item extends z.ZodType,
    Query extends z.ZodObject = typeof noFilter,
  >(spec: ListSpec<Caller, Path, Query, Item>): Operation<Caller> {
    const { name, record, run, query: own, maxRecords, ...rest } = spec
    const fields = { ...paging.query.shape, ...(own ?? noFilter).shape }
    return operation({
      ...rest,
      method: 'get',
      query: paging.isStrict === true ? z.strictObject(fields) : z.object(fields),
      response: paging.records(name, record),
      run: async (request) => {
        const page = atMost(maxRecords, paging.read(request.query, request.http))
        const query = withoutPage(request.query, paging) as z.infer<Query> // the rest of the fields
        const listed = await run({ ...request, query }, page)
        const wrapped = paging.wrap(name, listed, page, request.http)
        const headers = paging.headersOf?.(listed)
        return headers === undefined ? wrapped : new WithHeaders(wrapped, headers)
      },
    })
  }
}

function atMost(max: number | undefined, page: ListPage): ListPage {
  if (max === undefined || page.limit <= max) return page
  return { ...page, offset: (page.offset / page.limit) * max, limit: max }
}

function withoutPage(query: unknown, paging: Paging): unknown {
  const fields = Object.entries(query as object) // An object schema made the query.
  return Object.fromEntries(fields.filter(([name]) => !(name in paging.query.shape)))
}
