/**
 * Asks a server of the operator's choice in JSON: a provider of a service that this server offers. All
 * that goes wrong with a provider can be reported as one kind of failure.
 */
import type { z } from '@hono/zod-openapi'
import type { AdapterError } from '../errors.js'
import type { HttpMethod } from './http-method.js'
import type { Outbound } from './outbound.js'
import { OutboundError } from './outbound-error.js'

export interface JsonServer {
  readonly url: string
  /** Sent as Bearer. */
  readonly token: string | undefined
}

export interface JsonAnswer {
  readonly status: number
  /** The body; undefined when it is no JSON. */
  readonly body: unknown
}

export interface JsonClient {
  /** The host of the server. */
  readonly host: string
  /** Resolves with any answer to a request below the URL. Rejects with OutboundError. */
  send(
    method: HttpMethod,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonAnswer>
}

export interface JsonLimits {
  readonly timeoutMs?: number | undefined
  readonly maxAnswerBytes?: number | undefined
}

export interface ProviderOptions extends JsonLimits {
  /** Name of the provider in error texts, such as `the emergency provider`. */
  readonly name: string
  readonly Failure: new (
    message: string,
    options?: { cause?: unknown; isRetryable?: boolean },
  ) => AdapterError
}

/** A client whose requests reject with the failure in place of OutboundError. */
export interface ProviderClient extends JsonClient {
  /** Returns the validated body of an answer. Throws the failure for an invalid one. */
  read<Value>(schema: z.ZodType<Value>, answer: JsonAnswer): Value
  /** Returns the failure for an unexpected status; a 5xx is retryable. */
  unexpected(answer: JsonAnswer): AdapterError
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024

export function createJsonClient(
  outbound: Pick<Outbound, 'request'>,
  { url, token }: JsonServer,
  { timeoutMs = TIMEOUT_MS, maxAnswerBytes = MAX_ANSWER_BYTES }: JsonLimits = {},
): JsonClient {
  const base = url.replace(/\/$/, '')
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return {
    host: new URL(base).host,
    send: async (method, path, body, more) => {
      const answer = await outbound.request(
        {
          method,
          url: base + path,
          headers: { Accept: 'application/json', ...contentOf(body), ...more, ...authorization },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          responseTimeoutMs: timeoutMs,
          totalTimeoutMs: timeoutMs,
          maxBodyBytes: maxAnswerBytes,
          // The token is for this server only.
          maxRedirects: 0,
        },
        new AbortController().signal,
      )
      return { status: answer.status, body: parsed(answer.body.toString('utf8')) }
    },
  }
}

export function createProviderClient(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
  { name, Failure, ...limits }: ProviderOptions,
): ProviderClient {
  const client = createJsonClient(outbound, server, limits)
  return {
    host: client.host,
    send: async (...request) => {
      try {
        return await client.send(...request)
      } catch (cause) {
        if (!(cause instanceof OutboundError)) throw cause
        throw new Failure(`${name} does not answer`, { cause, isRetryable: true })
      }
    },
    read: (schema, { body }) => {
      const result = schema.safeParse(body)
      if (result.success) return result.data
      throw new Failure(`the answer of ${name} was not understood`, { cause: result.error })
    },
    unexpected: ({ status }) =>
      new Failure(`${name} answered ${String(status)}`, { isRetryable: status >= 500 }),
  }
}

const contentOf = (body: object | undefined) =>
  body === undefined ? {} : { 'Content-Type': 'application/json' }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
