/**
 * The facts needed to end a dialog after the process that made it is gone. They are stored with the
 * call.
 */
export interface DialogFacts {
  readonly callId: string
  /** The From and To of our requests, tags included. */
  readonly localParty: string
  readonly remoteParty: string
  /** The peer's Contact, which our requests are addressed to. */
  readonly target: string
  /** The route set as name-addr, nearest proxy first (RFC 3261 §12.1). */
  readonly routes: readonly string[]
  /** CSeq of our INVITE; 0 when the peer sent it. */
  readonly sequence: number
  /** The network address that the Contact came from. */
  readonly peer: { readonly address: string; readonly port: number; readonly transport: string }
  /** `host:port` of the drachtio that has the dialog. */
  readonly server: string
}
