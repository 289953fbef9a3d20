/** Asks a server of the operator's choice in JSON: a provider of a service that this server offers. */
import type { HttpMethod } from './http-method.js'
import type { Outbound } from './outbound.js'

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
          // The token is meant for this server alone.
          maxRedirects: 0,
        },
        new AbortController().signal,
      )
      return { status: answer.status, body: parsed(answer.body.toString('utf8')) }
    },
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
