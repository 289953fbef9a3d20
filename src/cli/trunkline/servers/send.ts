import { FailedError } from '../surroundings.js'

export interface SentRequest {
  /** URL of the listener, for error messages. */
  readonly url: string
  readonly path: string
  readonly authorization: string
  readonly method?: string
  readonly body?: URLSearchParams | string
  /** The flag that selects another server, for the error when none answers. */
  readonly flag: '--url' | '--admin-url'
}

const LIMIT_MS = 15_000

/** Sends a request; resolves with a successful response, rejects with a `ServerRefusedError`. */
export async function send(request: SentRequest): Promise<Response> {
  const { url, path, authorization, method = 'GET', body, flag } = request
  const isJson = typeof body === 'string'
  // Limits the time until the headers: a recording's body may take longer.
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort(new DOMException('too late', 'TimeoutError'))
  }, LIMIT_MS)
  let answer: Response
  try {
    answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...(isJson ? { 'content-type': 'application/json' } : {}) },
      redirect: 'manual',
      signal: limit.signal,
      ...(body === undefined ? {} : { body }),
    })
  } catch (cause) {
    throw new ServerRefusedError(
      `no server answers at ${url} (${reasonOf(cause)}): start it with \`trunkline start\`, or name another with ${flag}`,
      undefined,
      cause,
    )
  } finally {
    clearTimeout(timer)
  }
  if (answer.status < 400) return answer
  throw new ServerRefusedError(`${answer.status}: ${await explain(answer)}`, answer.status)
}

/** Parses the body of a successful response; undefined when empty. Rejects with a `ServerRefusedError`. */
export async function readJson(
  answer: Response,
  { url, flag }: Pick<SentRequest, 'url' | 'flag'>,
): Promise<unknown> {
  let text: string
  try {
    text = await answer.text()
  } catch (cause) {
    throw new ServerRefusedError(`the answer of ${url} broke off`, answer.status, cause)
  }
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw noTrunkline({ url, flag }, answer.status, cause)
  }
}

/** The error for a response that is not from a trunkline server. */
export function noTrunkline(
  { url, flag }: Pick<SentRequest, 'url' | 'flag'>,
  status?: number,
  cause?: unknown,
): ServerRefusedError {
  const text = `what answers at ${url} is no trunkline server: name another with ${flag}`
  return new ServerRefusedError(text, status, cause)
}

/** The server refused a request or did not answer; the message is for people. */
export class ServerRefusedError extends FailedError {
  override readonly name = 'ServerRefusedError'
  /** Status of the response; undefined when there was none. */
  readonly status: number | undefined

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The error message of a response from either listener. */
async function explain(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null) return answer.statusText
  if ('message' in body && 'code' in body)
    return `${String(body.message)} (error ${String(body.code)})`
  return 'error' in body ? String(body.error) : answer.statusText
}

/** The system's error code of a failed connection, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return `not within ${LIMIT_MS / 1_000} s`
  const { cause } = error
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return error.message
}
