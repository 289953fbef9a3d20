/**
 * A SIP message as everything above the parser sees it (RFC 3261 §7). Header names are compared
 * without case; compact forms arrive expanded (RFC 3261 §7.3.3).
 */
export interface SipHeader {
  readonly name: string
  readonly value: string
}

export interface SipRequest {
  readonly kind: 'request'
  readonly method: string
  readonly uri: string
  readonly headers: readonly SipHeader[]
  readonly body: Buffer
}

export interface SipResponse {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
  readonly headers: readonly SipHeader[]
  readonly body: Buffer
}

export type SipMessage = SipRequest | SipResponse

export interface Via {
  readonly transport: string
  readonly host: string
  readonly port?: number
  readonly params: Readonly<Record<string, string>>
}
