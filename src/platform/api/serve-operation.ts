import { createHash } from 'node:crypto'
import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { InvariantError } from '../errors.js'
import type { Api, UploadedFile } from './api.js'
import { ApiRequest } from './api-request.js'
import { type ErrorAnswer, RefusedError } from './dialect.js'
import type { BodyFormat, Operation } from './operation.js'
import { fieldsOf, readBody } from './read-body.js'
import { errorAnswer, explain, failureAnswer, successAnswer } from './write-answer.js'

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
 * Serves one operation. In this order: caller, rate, check before the body, body, run, answer. A
 * wrong body of a target that does not exist is answered as the absent target is, so that the answer
 * tells nobody more than a GET would.
 */
export class OperationServer<Caller> {
  readonly #operation: Operation<Caller>
  readonly #api: Api<Caller>
  readonly #inProgress: InProgress
  readonly #formats: readonly BodyFormat[]
  readonly #takesQuery: boolean
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
  }

  async answer(context: Context): Promise<Response> {
    const request = new ApiRequest(context)
    try {
      this.#inProgress.enter()
    } catch (error) {
      return failureAnswer(error, request, this.#api)
    }
    try {
      const caller = await this.#identify(request)
      await this.#operation.beforeBody?.({ caller, params: request.params() })
      return this.#operation.body === 'multipart'
        ? await this.#withUpload(caller, request)
        : await this.#withBody(caller, request)
    } catch (error) {
      return failureAnswer(error, request, this.#api)
    } finally {
      this.#inProgress.leave()
    }
  }

  async #identify(request: ApiRequest): Promise<Caller> {
    const { gate, rates } = this.#api
    const { isOpen, rate } = this.#operation
    if (isOpen) return undefined as Caller // an open operation is declared without a caller
    const caller = await gate.identify(request)
    const own = gate.requestsPerSecond?.(caller)
    const waitSeconds = rates?.waitSeconds(gate.nameOf(caller), rate, own) ?? 0
    if (waitSeconds > 0) throw new RefusedError({ type: 'too-many-requests', waitSeconds })
    gate.admit?.(caller, rate)
    return caller
  }

  async #withBody(caller: Caller, request: ApiRequest): Promise<Response> {
    const query = this.#readQuery(request)
    const { body: schema } = this.#operation
    if (schema === undefined || typeof schema === 'string')
      return await this.#once(caller, request, {
        query,
        body: undefined,
        given: undefined,
        content: '',
      })
    const given = await readBody(request.raw, this.#formats, this.#api.dialect)
    const body = await this.#parseForTarget(schema, given, caller, request)
    return await this.#once(caller, request, { query, body, given, content: body })
  }

  async #withUpload(caller: Caller, request: ApiRequest): Promise<Response> {
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

  #readQuery(request: ApiRequest): unknown {
    if (!this.#takesQuery) return NO_FIELDS
    const given = request.hasSearch ? fieldsOf(request.search) : NO_FIELDS
    return this.#parse(this.#operation.query, given, 'query')
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
      await target?.run({ ...nothing, caller, params: http.params(), http })
      throw error
    }
  }

  #parse(schema: z.ZodType, given: unknown, where: 'query' | 'body'): unknown {
    const result = schema.safeParse(given)
    if (result.success) return result.data
    const { issues } = result.error
    const { fieldErrors } = this.#operation
    throw new RefusedError({ type: 'invalid', where, issues, given, fieldErrors })
  }

  async #once(caller: Caller, request: ApiRequest, input: Input): Promise<Response> {
    const run = () => this.#run(caller, request, input)
    const { idempotency, gate } = this.#api
    const kind = this.#operation.idempotency
    if (idempotency === undefined || kind === 'none' || kind === 'own') return await run()
    const key = request.header('idempotency-key')
    if (key === undefined || key === '') return await run()
    const what = `${request.method} ${request.path}?${request.search.toString()}`
    const keyed = {
      caller: gate.nameOf(caller),
      key,
      digest: digest(`${what}\n${JSON.stringify(input.content ?? null)}`),
    }
    return await idempotency.once(keyed, kind === 'in-one-commit', async () => {
      try {
        return await run()
      } catch (error) {
        const answer = explain(error, request, this.#api)
        if (isTemporary(answer)) throw error
        return errorAnswer(this.#api.dialect, answer, request)
      }
    })
  }

  async #run(caller: Caller, http: ApiRequest, input: Input): Promise<Response> {
    const operation = this.#operation
    const { query, body, given } = input
    const result = await operation.run({ caller, params: http.params(), query, body, given, http })
    return successAnswer(operation, result, http, this.#api)
  }
}

interface Input {
  readonly query: unknown
  readonly body: unknown
  readonly given: unknown
  /** The content by which two requests with one key are compared. */
  readonly content: unknown
}

const NO_FIELDS = Object.freeze({})

function isEmptyObject(schema: z.ZodType): boolean {
  return 'shape' in schema && Object.keys(schema.shape as object).length === 0
}

/** True when the same request may soon succeed; its refusal is then not kept. */
function isTemporary({ status, isTemporary: isSaid }: ErrorAnswer): boolean {
  return isSaid === true || status === 429 || status >= 500
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
