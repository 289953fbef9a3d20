/** The facts needed to end a dialog after the process that made it is gone. They are stored with the call. */
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
  /** The network address from which the peer sent its Contact. */
  readonly peer: { readonly address: string; readonly port: number; readonly transport: string }
  /** `host:port` of the drachtio server that holds the dialog. */
  readonly server: string
}

/**
 * The facts needed to end an INVITE without a final response, after the process that handled it is
 * gone. They are stored with the call.
 */
export interface InviteFacts {
  readonly sender: 'us' | 'peer'
  readonly callId: string
  /** drachtio's id of the transaction; any connection to that drachtio server can use it. */
  readonly transactionId: string
  /** drachtio's id of the dialog that an answer would create. */
  readonly dialogId: string
  /** The Request-URI. */
  readonly uri: string
  /** `host:port` of the drachtio server that holds the transaction. */
  readonly server: string
}

/** What remains on the signaling servers when a call's process dies. */
export interface LegFacts {
  readonly dialog: DialogFacts | undefined
  readonly invites: readonly InviteFacts[]
}

/** The identifiers of a dialog in a Replaces header (RFC 3891 §6.1). */
export interface DialogName {
  readonly callId: string
  /** Our tag: the `to-tag` of a Replaces header that is addressed to us. */
  readonly localTag: string
  /** The peer's tag: the `from-tag`. */
  readonly remoteTag: string
}

/** Returns the dialog's identifiers; undefined when either side has no tag (RFC 2543). */
export function dialogNameOf({
  callId,
  localParty,
  remoteParty,
}: Pick<DialogFacts, 'callId' | 'localParty' | 'remoteParty'>): DialogName | undefined {
  const [localTag, remoteTag] = [tagOf(localParty), tagOf(remoteParty)]
  return localTag === undefined || remoteTag === undefined
    ? undefined
    : { callId, localTag, remoteTag }
}

/** Returns the tag of a From or To header. */
export function tagOf(party: string): string | undefined {
  return /;\s*tag\s*=\s*([^\s;]+)/i.exec(party.slice(party.lastIndexOf('>') + 1))?.[1]
}
