import { randomUUID } from 'node:crypto'
import { AdapterError } from '../../platform/errors.js'
import type { HttpMethod } from '../../platform/http/http-method.js'
import type { Outbound } from '../../platform/http/outbound.js'
import type { OutboundRequest } from '../../platform/http/outbound-request.js'
import { TEMPORARY_CODES } from '../model/registry-error.js'

export interface UpstreamRegistry {
  /** The URL up to and including `/v2/csp`, or the other registry's equivalent. */
  readonly baseUrl: string
  readonly key: string
  /**
   * The secret. With a secret, key and secret are sent as Basic; without one, the key is sent as
   * Bearer.
   */
  readonly secret?: string | undefined
  /** The local CNP id that represents the other registry. */
  readonly cnpId: string
  readonly displayName: string
  /** The CNP at the other registry that registered campaigns are shared with. */
  readonly shareWith: string
}

/**
 * The upstream registry refused the request, or data is missing here; retrying does not help.
 * `codes` are the codes of its error array; `explanation` is a text for the customer.
 */
export class UpstreamRefusal extends AdapterError {
  override readonly name = 'UpstreamRefusal'
  readonly codes: readonly number[]
  readonly explanation: string

  constructor(what: string, codes: readonly number[], explanation: string) {
    super(`${what} does not go up: ${explanation}`)
    this.codes = codes
    this.explanation = explanation
  }
}

export interface RegistryClient {
  /**
   * Sends a request. Resolves with the JSON of a 200, or undefined for a 204. Rejects with an
   * AdapterError.
   */
  call(
    method: HttpMethod,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Sends a file as the part `file` of a multipart body, and resolves as `call` does. */
  upload(
    path: string,
    file: UploadedFile,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface UploadedFile {
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
}

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

/** Creates a client of another registry that has this API. */
export function createRegistryClient(
  outbound: Outbound,
  { baseUrl, key, secret }: Pick<UpstreamRegistry, 'baseUrl' | 'key' | 'secret'>,
): RegistryClient {
  const authorization =
    secret === undefined
      ? `Bearer ${key}`
      : `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    content: Content | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const request: OutboundRequest = {
      method,
      url: baseUrl + path,
      headers: { Authorization: authorization },
      totalTimeoutMs: TIMEOUT_MS,
      responseTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
    }
    const answer = await outbound.request(
      content === undefined
        ? request
        : {
            ...request,
            headers: { Authorization: authorization, 'Content-Type': content.type },
            body: content.body,
          },
      signal,
    )
    const text = answer.body.toString('utf8')
    if (answer.status === 400) throw refusalOf(`${method} ${path}`, text)
    // A proxy with a size limit refuses the same bytes again (RFC 9110 §15.5.14).
    if (answer.status === 413)
      throw new UpstreamRefusal(`${method} ${path}`, [], 'HTTP 413, the content is too large')
    if (answer.status < 200 || answer.status > 299)
      throw new AdapterError(`${method} ${path} upstream: HTTP ${answer.status}`, {
        isRetryable: true,
      })
    return text === '' ? {} : parseObject(text)
  }
  return {
    call: (method, path, body, signal) => {
      const content =
        body === undefined ? undefined : { type: 'application/json', body: JSON.stringify(body) }
      return send(method, path, content, signal)
    },
    upload: (path, file, signal) => send('POST', path, multipartOf(file), signal),
  }
}

interface Content {
  readonly type: string
  readonly body: string | Buffer
}

/**
 * A body with one part called `file` (RFC 7578 §4.2); quotes in its name are escaped as browsers
 * do.
 */
function multipartOf({ fileName, mimeType, bytes }: UploadedFile): Content {
  const boundary = randomUUID()
  const name = fileName.replaceAll('"', '%22')
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    `Content-Type: ${mimeType}`,
    '',
    '',
  ].join('\r\n')
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null)
    throw new AdapterError('the upstream registry answered with something else than JSON')
  return value as Readonly<Record<string, unknown>> // an object, read by name and checked there
}

/** Treats a temporary refusal as an outage: the caller retries. */
function refusalOf(what: string, text: string): AdapterError {
  const value = parseJson(text)
  const problems: unknown[] = Array.isArray(value) ? value : []
  const codes = problems.map((each) => Number((each as { code?: unknown } | null)?.code)) // checked by Number
  if (codes.some((code) => TEMPORARY_CODES.includes(code)))
    return new AdapterError(`${what} upstream: ${text.slice(0, 1_000)}`, { isRetryable: true })
  return new UpstreamRefusal(what, codes, text.slice(0, 1_000))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AdapterError('the upstream registry answered with something else than JSON', {
      cause: error,
      isRetryable: true,
    })
  }
}
