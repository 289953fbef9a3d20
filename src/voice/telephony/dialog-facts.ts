/** What is needed to end a dialog without the process that made it; kept with the call while it lives. */
export interface DialogFacts {
  readonly callId: string
  /** From and To of our requests, tags included. */
  readonly localParty: string
  readonly remoteParty: string
  /** The peer's Contact: where our requests are addressed to. */
  readonly target: string
  /** Proxies that want to stay on the path, as name-addr, the nearest first (RFC 3261 §12.1). */
  readonly routes: readonly string[]
  /** CSeq of our INVITE; 0 when the peer sent it. */
  readonly sequence: number
  /** Who really sent the Contact. */
  readonly peer: { readonly address: string; readonly port: number; readonly transport: string }
  /** `host:port` of the drachtio that has the dialog. */
  readonly server: string
}
