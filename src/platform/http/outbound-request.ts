import type { HttpMethod } from './http-method.js'
import type { OutboundError } from './outbound-error.js'

/** A body that is streamed, never held in memory as a whole; it is reopened for each attempt. */
export interface StreamedBody {
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}

export type RequestBody = Buffer | StreamedBody

/** One request of a redirect chain. */
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
  /** Time limit of name resolution, TCP and TLS of each connection, ms. */
  readonly connectTimeoutMs?: number
  /** Time limit of one hop, from sending the request to the last byte of the response, ms. */
  readonly responseTimeoutMs?: number
  /** Time limit of the whole request: queueing, redirects, authentication, ms. */
  readonly totalTimeoutMs?: number
  /** Maximum size of the body, both as received and decoded, bytes. */
  readonly maxBodyBytes?: number
  /**
   * True when the response's body is not read: a longer body is then cut without failure, and stays compressed.
   */
  readonly ignoresBody?: (headers: Headers) => boolean
  /**
   * True when TLS names the server that it wants (RFC 6066 §3); the certificate is checked either
   * way.
   */
  readonly serverName?: 'sent' | 'omitted'
  /**
   * True when the server detects duplicates, for example by a token. Idempotent methods may always be repeated
   * (RFC 9110 §9.2.2).
   */
  readonly isRepeatable?: boolean
  /** Called when a kept connection failed, before the request is sent once more. */
  readonly onRepeat?: (failure: OutboundError) => void
  /** The redirects to follow; with 0, a redirect is a response like any other. */
  readonly maxRedirects?: number
  readonly allowedSchemes?: readonly string[]
  /** Returns headers that depend on the hop, such as a signature of its URL. */
  readonly hopHeaders?: (hop: Hop) => Readonly<Record<string, string>>
  /** Called with the response of each hop, including redirects and challenges. */
  readonly onHop?: (hop: Hop, status: number, headers: Headers) => void
}
