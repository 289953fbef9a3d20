import type { ResponseHeaders } from './port.js'

/** A request outside a dialog that begins no call: a carrier's OPTIONS, a REGISTER, a MESSAGE. */
export interface OutsideRequest {
  readonly method: string
  /** The network address that sent the request. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /** The drachtio server that received the request. */
  readonly server: string
  /** The Request-URI as received. */
  readonly requestUri: string
  /** The From and To headers as received, cut where they are too long. */
  readonly parties: readonly string[]
  /** The body; undefined when it is too long. */
  readonly body: string | undefined
  /** A header by name; several of one name are one list. Undefined when absent, or `isTooLong`. */
  header(name: string): string | undefined
  isTooLong(name: string): boolean
  /**
   * Sends the answer that RFC 3261 requires: our capabilities to OPTIONS, a refusal to any other
   * method.
   */
  answer(): void
  reject(status: number, reason: string, headers?: ResponseHeaders): void
  /** Says that a MESSAGE was taken: 202 for one that goes on from here (RFC 3428 §7). */
  accepted(status: 200 | 202): void
  /** Sends 200 to a REGISTER, with the contacts that are registered now. */
  registered(contacts: readonly string[], headers?: ResponseHeaders): void
}
