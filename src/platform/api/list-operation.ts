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

/** The position of an item in a list, even of a deleted one: its order, then its name. */
export interface Position {
  readonly at: number
  readonly sid: string
}

/** The part of a list that a client asks for. */
export interface ListPage {
  readonly offset: number
  readonly limit: number
  /** The page begins after, or ends before, this position. */
  readonly cursor?: (Position & { readonly side: 'after' | 'before' }) | undefined
}

/** A page of a list, each item as the API shows it. */
export interface Listed<Item> {
  readonly items: readonly Item[]
  readonly total: number
  /** `lower-bound`: there may be more than the total. Without it the total is exact. */
  readonly totalIs?: 'exact' | 'lower-bound'
  /** The position of the first item, and the one that the next page begins after. */
  readonly first?: Position | undefined
  readonly nextAfter?: Position | undefined
  /** The path of the list, where it differs from the path of the request. */
  readonly path?: string | undefined
}

/** The way in which a dialect asks for pages and wraps them. */
export interface Paging {
  readonly query: z.ZodObject
  /** True when a parameter that the list does not know is refused; otherwise it is ignored. */
  readonly isStrict?: boolean
  /** The schema around the records of a list. */
  records(name: string, record: z.ZodType): z.ZodType
  /** The page that a query asks for; `query` has been parsed by `this.query`. */
  read(query: unknown, request: ApiRequest): ListPage
  wrap(name: string, listed: Listed<unknown>, page: ListPage, request: ApiRequest): object
  /** What is told of the page beside its body; undefined for nothing. */
  headersOf?(listed: Listed<unknown>): Readonly<Record<string, string>> | undefined
}

interface ListSpec<Caller, Path extends string, Query extends z.ZodObject, Item extends z.ZodType> {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly path: Path
  readonly aliases?: readonly string[]
  readonly row?: string
  /** The name of the records, for a dialect that has one. */
  readonly name: string
  readonly record: Item
  readonly query?: Query
  /** The largest number of records of a page; larger pages are cut. */
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

/** Makes `list()` for an API with these callers: it declares an operation that answers a page. */
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
