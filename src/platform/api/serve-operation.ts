import { createHash } from 'node:crypto'
import type { z } from '@hono/zod-openapi'
import { InvariantError } from '../errors.js'
import type { Api, KeyedRequest, UploadedFile } from './api.js'
import type { ApiRequest } from './api-request.js'
import { type ErrorAnswer, RefusedError } from './dialect.js'
import { wordsOf } from './issue-words.js'
import type { BodyFormat, Operation, OperationRequest } from './operation.js'
import { fieldsOf, isJsonText, JSON_INSTEAD_OF_FORM, readBody, refuseCoded } from './read-body.js'
import {
  type Answer,
  errorAnswer,
  explainKnown,
  failureAnswer,
  successAnswer,
  toResponse,
} from './write-answer.js'

/** Counts the requests of an API that are in progress. */
export class InProgress {
  readonly #max: number
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  enter(): void {
    if (this.#count >= this.#max) throw new RefusedError({ type: 'overloaded' })
    this.#count += 1
  }

  leave(): void {
    this.#count -= 1
  }
}

/**
 * Serves one operation, in this order: caller, rate, check before the body, body, run, answer. A wrong body for
 * a missing target gets the answer for the missing target, so that it reveals no more than a GET.
 */
export class OperationServer<Caller> {
  readonly #operation: Operation<Caller>
  readonly #api: Api<Caller>
  readonly #inProgress: InProgress
  readonly #formats: readonly BodyFormat[]
  readonly #takesQuery: boolean
  readonly #isPlainRead: boolean
  /** The first parsed queries: clients repeat the same few. Operations must not change them. */
  readonly #queries = new Map<string, unknown>()
  /** The operation that reads the target; undefined where there is none. */
  readonly #target: Operation<Caller> | undefined

  constructor(
    operation: Operation<Caller>,
    api: Api<Caller>,
    inProgress: InProgress,
    target: Operation<Caller> | undefined,
  ) {
    this.#target = target
    this.#operation = operation
    this.#api = api
    this.#inProgress = inProgress
    this.#formats = operation.formats ?? api.dialect.formats
    this.#takesQuery = !isEmptyObject(operation.query)
    this.#isPlainRead =
      operation.method === 'get' &&
      operation.body === undefined &&
      operation.beforeBody === undefined &&
      operation.prepare === undefined &&
      operation.runsAt === undefined &&
      operation.idempotency === 'none'
  }

  async answer(request: ApiRequest): Promise<Answer> {
    try {
      this.#inProgress.enter()
    } catch (error) {
      return failureAnswer(error, request, this.#api)
    }
    try {
      if (this.#isPlainRead) {
        const reader = await this.#identify(request, undefined)
        refuseCoded(request)
        return await this.#read(reader, request)
      }
      const early = await this.#readEarly(request)
      const caller = await this.#identify(request, early?.given)
      refuseCoded(request)
      await this.#operation.beforeBody?.({ caller, params: this.#params(request) })
      return this.#operation.body === 'multipart'
        ? await this.#withUpload(caller, request)
        : await this.#withBody(caller, request, early)
    } catch (error) {
      return failureAnswer(error, request, this.#api)
    } finally {
      this.#inProgress.leave()
    }
  }

  /** Answers a read: no body, no `prepare`, no idempotency key. */
  async #read(caller: Caller, http: ApiRequest): Promise<Answer> {
    const query = this.#readQuery(http)
    const nothing = { body: undefined, given: undefined }
    const request = { caller, params: this.#params(http), query, ...nothing, http }
    const result = await this.#operation.run(request, undefined)
    return successAnswer(this.#operation, result, http, this.#api)
  }

  /** Reads the body for the gate; undefined where the operation reads it itself. */
  async #readEarly(request: ApiRequest): Promise<EarlyBody | undefined> {
    const { gate, dialect } = this.#api
    const { isOpen, body, method } = this.#operation
    if (gate.readsBody !== true || isOpen || method === 'get' || typeof body === 'string')
      return undefined
    refuseCoded(request)
    return { given: await readBody(request.raw, this.#formats, dialect) }
  }

  async #identify(request: ApiRequest, body: unknown): Promise<Caller> {
    const { gate, rates, addressLimit } = this.#api
    const { isOpen, rate, addressLimit: limit } = this.#operation
    if (limit !== undefined) refuseToWait((await addressLimit?.waitSeconds(limit, request)) ?? 0)
    if (isOpen) return undefined as Caller // an open operation is declared without a caller
    const caller = await gate.identify(request, body)
    const own = gate.requestsPerSecond?.(caller)
    refuseToWait(rates?.waitSeconds(gate.nameOf(caller), rate, own) ?? 0)
    gate.admit?.(caller, rate)
    return caller
  }

  async #withBody(
    caller: Caller,
    request: ApiRequest,
    early: EarlyBody | undefined,
  ): Promise<Answer> {
    const query = this.#readQuery(request)
    const { body: schema } = this.#operation
    if (schema === undefined || typeof schema === 'string')
      return await this.#once(caller, request, {
        query,
        body: undefined,
        given: undefined,
        content: '',
      })
    const { given } = early ?? {
      given: await readBody(request.raw, this.#formats, this.#api.dialect),
    }
    const body = await this.#parseForTarget(schema, given, caller, request)
    return await this.#once(caller, request, { query, body, given, content: body })
  }

  async #withUpload(caller: Caller, request: ApiRequest): Promise<Answer> {
    const query = this.#readQuery(request)
    const { readUpload, gate } = this.#api
    if (readUpload === undefined) throw new InvariantError('the API takes no files')
    await using file: UploadedFile = await readUpload(request.raw, gate.nameOf(caller))
    return await this.#once(caller, request, {
      query,
      body: file,
      given: file,
      content: file.sha256,
    })
  }

  #params(request: ApiRequest): Readonly<Record<string, string>> {
    const { dialect } = this.#api
    const params = request.params()
    if (dialect.readParam === undefined) return params
    const read: Record<string, string> = {}
    for (const name of Object.keys(params)) read[name] = dialect.readParam(params[name] ?? '')
    return read
  }

  #readQuery(request: ApiRequest): unknown {
    if (!this.#takesQuery) return NO_FIELDS
    const text = request.query
    const known = this.#queries.get(text)
    if (known !== undefined) return known
    const given = text === '' ? NO_FIELDS : fieldsOf(withoutBlanks(request.search))
    const query = this.#parse(this.#operation.query, given, 'query')
    if (text.length <= MAX_KEPT_QUERY && this.#queries.size < MAX_KEPT_QUERIES)
      this.#queries.set(text, query)
    return query
  }

  async #parseForTarget(
    schema: z.ZodType,
    given: unknown,
    caller: Caller,
    http: ApiRequest,
  ): Promise<unknown> {
    try {
      return this.#parse(schema, given, 'body')
    } catch (error) {
      const target = this.#target
      const query = target?.query.safeParse(NO_FIELDS)
      if (query?.success !== true) throw error
      const nothing = { query: query.data, body: undefined, given: undefined }
      const params = this.#params(http)
      if (target !== undefined) await this.#run(target, { ...nothing, caller, params, http })
      throw error
    }
  }

  #parse(schema: z.ZodType, given: unknown, where: 'query' | 'body'): unknown {
    const result = schema.safeParse(given, { error: wordsOf })
    const isJson = where === 'body' && this.#formats.includes('form') && isJsonText(given)
    if (result.success && !isJson) return result.data
    const issues: readonly z.core.$ZodIssue[] = result.success
      ? [{ code: 'custom', path: [], message: JSON_INSTEAD_OF_FORM, input: given }]
      : result.error.issues
    const { fieldErrors } = this.#operation
    throw new RefusedError({ type: 'invalid', where, issues, given, schema, fieldErrors })
  }

  async #once(caller: Caller, http: ApiRequest, input: Input): Promise<Answer> {
    const { query, body, given } = input
    const request = { caller, params: this.#params(http), query, body, given, http }
    const keyed = this.#keyedRequest(caller, http, input.content)
    const earlier = await this.#preparedEarlier(keyed)
    if (earlier !== undefined) return earlier
    const prepared = await this.#operation.prepare?.(request)
    const run = async () => {
      const result = await this.#run(this.#operation, request, prepared)
      return successAnswer(this.#operation, result, http, this.#api)
    }
    return keyed === undefined ? await run() : await this.#runOnce(keyed, http, run)
  }

  /** Runs an operation here, or on the node that owns its resource. */
  async #run(
    operation: Operation<Caller>,
    request: OperationRequest<Caller>,
    prepared?: unknown,
  ): Promise<unknown> {
    const { nodeRouting } = this.#api
    const node = nodeRouting === undefined ? undefined : await operation.runsAt?.(request)
    return node === undefined
      ? await operation.run(request, prepared)
      : await nodeRouting?.run(node, operation, request)
  }

  /** Returns the request with its `Idempotency-Key`; undefined for one that is not stored. */
  #keyedRequest(caller: Caller, request: ApiRequest, content: unknown): KeyedRequest | undefined {
    const { idempotency: kind } = this.#operation
    const name = this.#nameOf(caller, request)
    const key = request.header('idempotency-key') ?? ''
    const isKept = kind === 'in-one-commit' || kind === 'after'
    if (this.#api.idempotency === undefined || !isKept || key === '' || name === undefined)
      return undefined
    const what = `${request.method} ${request.path}?${request.search.toString()}`
    return { caller: name, key, digest: digest(`${what}\n${JSON.stringify(content ?? null)}`) }
  }

  /**
   * Returns the stored answer of an earlier request with the key, for an operation with `prepare`: a provider
   * may refuse a second request, or be unreachable.
   */
  async #preparedEarlier(keyed: KeyedRequest | undefined): Promise<Answer | undefined> {
    if (this.#operation.prepare === undefined || keyed === undefined) return undefined
    return await this.#api.idempotency?.answerOf(keyed)
  }

  /** Runs a request, or repeats the stored answer for its `Idempotency-Key`. */
  async #runOnce(
    keyed: KeyedRequest,
    request: ApiRequest,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const { idempotency } = this.#api
    if (idempotency === undefined) return await run()
    const isInOneCommit = this.#operation.idempotency === 'in-one-commit'
    return await idempotency.once(keyed, isInOneCommit, async () => {
      try {
        return toResponse(await run())
      } catch (error) {
        // Work that conflicted with another write runs again; its error is not final.
        const answer = explainKnown(error, request, this.#api)
        if (answer === undefined || isTemporary(answer)) throw error
        return toResponse(errorAnswer(this.#api.dialect, answer, request))
      }
    })
  }

  /** The name that keys are stored under; undefined for an open operation that takes none. */
  #nameOf(caller: Caller, request: ApiRequest): string | undefined {
    const { gate } = this.#api
    return this.#operation.isOpen ? gate.nameOfAnyone?.(request) : gate.nameOf(caller)
  }
}

function refuseToWait(waitSeconds: number): void {
  if (waitSeconds > 0) throw new RefusedError({ type: 'too-many-requests', waitSeconds })
}

/** A body that was read before authentication; it may be null. */
interface EarlyBody {
  readonly given: unknown
}

interface Input {
  readonly query: unknown
  readonly body: unknown
  readonly given: unknown
  /** The content by which two requests with one key are compared. */
  readonly content: unknown
}

const NO_FIELDS = Object.freeze({})
const MAX_KEPT_QUERY = 64
const MAX_KEPT_QUERIES = 16

/** Removes empty parameters: browsers send the filters that the user left blank. */
function withoutBlanks(search: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...search].filter(([, value]) => value !== ''))
}

function isEmptyObject(schema: z.ZodType): boolean {
  return 'shape' in schema && Object.keys(schema.shape as object).length === 0
}

/** True when a retry may soon succeed; such a refusal is not stored. */
function isTemporary({ status, isTemporary: isSaid }: ErrorAnswer): boolean {
  return isSaid === true || status === 429 || status >= 500
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
