import type { HttpMethod } from './http-method.js'
import type { OutboundError } from './outbound-error.js'

/**
 * A body that is sent as it is read, never held in memory as a whole; it is opened anew for each
 * attempt.
 */
export interface StreamedBody {
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}

export type RequestBody = Buffer | StreamedBody

/** One request of a chain: the first one, or the one that a redirect made of it. */
export interface Hop {
  readonly url: URL
  readonly method: HttpMethod
  readonly body: RequestBody | undefined
}

export interface OutboundRequest {
  readonly method: HttpMethod
  /** The URL. Its `user:pass@` answers a 401 (Basic or Digest); the fragment is never sent. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string | StreamedBody
  /**
   * The account's sid, whose connections the request uses; without it, those of the process itself.
   */
  readonly tenant?: string
  /** The limit of name resolution, TCP and TLS of each connection. */
  readonly connectTimeoutMs?: number
  /** The limit from the sending of one hop's request to the last byte of its response. */
  readonly responseTimeoutMs?: number
  /** The limit of everything: queueing, redirects, authentication. */
  readonly totalTimeoutMs?: number
  /** The limit of the body, as it was sent and decoded. */
  readonly maxBodyBytes?: number
  /**
   * True when the response's body is not read: one that is too long is then cut off and no failure, and a
   * compressed one stays so.
   */
  readonly ignoresBody?: (headers: Headers) => boolean
  /**
   * True when TLS names the server that it wants (RFC 6066 §3); the certificate is checked either
   * way.
   */
  readonly serverName?: 'sent' | 'omitted'
  /**
   * True when the server knows a request that comes twice, by a token for example. A request of an
   * idempotent method may always come twice (RFC 9110 §9.2.2).
   */
  readonly isRepeatable?: boolean
  /** Sees the failure of a kept connection, after which the request is sent once more. */
  readonly onRepeat?: (failure: OutboundError) => void
  /** The redirects to follow; with 0, a redirect is a response like any other. */
  readonly maxRedirects?: number
  readonly allowedSchemes?: readonly string[]
  /** Makes headers that depend on the hop, such as a signature of its URL. */
  readonly hopHeaders?: (hop: Hop) => Readonly<Record<string, string>>
  /** Sees the response of each hop, redirects and challenges included. */
  readonly onHop?: (hop: Hop, status: number, headers: Headers) => void
}
