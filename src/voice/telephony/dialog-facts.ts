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

/**
 * The facts needed to end an INVITE without a final response, after the process that handled it is
 * gone. They are stored with the call.
 */
export interface InviteFacts {
  readonly sender: 'us' | 'peer'
  readonly callId: string
  /** drachtio's name of the transaction; any connection to that drachtio may use it. */
  readonly transactionId: string
  /** drachtio's name of the dialog that an answer begins. */
  readonly dialogId: string
  /** The Request-URI. */
  readonly uri: string
  /** `host:port` of the drachtio that has the transaction. */
  readonly server: string
}

/** What a call leaves on signaling servers when its process dies. */
export interface LegFacts {
  readonly dialog: DialogFacts | undefined
  readonly invites: readonly InviteFacts[]
}

/** The identifiers of a dialog as a Replaces header carries them (RFC 3891 §6.1). */
export interface DialogName {
  readonly callId: string
  /** The tag of our side: the `to-tag` in a Replaces header that is meant for us. */
  readonly localTag: string
  /** The tag of the peer: the `from-tag`. */
  readonly remoteTag: string
}

/** The dialog's identifiers; undefined when one of its sides has no tag (RFC 2543). */
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

/** The tag of a From or To header. */
export function tagOf(party: string): string | undefined {
  return /;\s*tag\s*=\s*([^\s;]+)/i.exec(party.slice(party.lastIndexOf('>') + 1))?.[1]
}
