/** Tables of the calls in progress: waiting requests, sent requests and dialogs. */
import { randomBytes } from 'node:crypto'
import type { Logger } from '../../platform/log.js'
import { type Dialog, type DialogIdentity, tagOf } from '../sip/dialog/dialog.js'
import type { ReliableProvisionals } from '../sip/dialog/reliable-provisionals.js'
import type { SessionTimer } from '../sip/dialog/session-timer.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipRequest } from '../sip/message/types.js'
import type {
  ClientTransaction,
  ServerTransaction,
  SipPeer,
  SipStack,
} from '../sip/model/stack-types.js'
import { contactsToward, type PeerPlace } from '../sip/stack/local-addresses.js'
import type { Client, Clients } from './clients.js'

/** The parts that every module of the server works with. */
export interface ServerParts {
  readonly stack: SipStack
  readonly clients: Clients
  readonly calls: CallTable
  readonly log: Logger
}

/** A dialog, with the state that the server keeps for its application. */
export interface ServerDialog {
  /** The id by which clients name the dialog: `Call-ID;from-tag=tag of the INVITE`. */
  readonly id: string
  readonly client: Client
  readonly inviteTransactionId: string
  readonly timer: SessionTimer
  /**
   * The SIP dialog. `CallTable.replaceDialog` replaces it when another branch of a fork answers.
   */
  dialog: Dialog
  /** The session description (SDP) that we sent last; the re-INVITE that refreshes the session repeats it. */
  localDescription: { readonly contentType: string; readonly body: Buffer } | undefined
  localContact: string
  /** Our 2xx responses that wait for their ACK, by the INVITE's sequence number. */
  readonly unacknowledged: Map<number, { transaction: ServerTransaction; transactionId: string }>
  /** Our last INVITE that got a 2xx, and its ACK once the application has sent one. */
  invite: { readonly sequence: number; ack?: SipRequest } | undefined
  /** Our re-INVITE that has no final response yet; undefined when there is none. */
  reinvite: ClientTransaction | undefined
  /** True when the application sent CANCEL before the 2xx arrived; a BYE then follows the ACK. */
  isCancelled: boolean
}

/**
 * How a provisional response became reliable: `marked` by the application (`Require: 100rel`), or by the
 * server, without an SDP (`own`) or with one (`described`).
 */
export type UnacknowledgedKind = 'marked' | 'own' | 'described'

/** A request from the network that waits for the application's response. */
export interface IncomingRequest {
  readonly id: string
  readonly transaction: ServerTransaction
  readonly client: Client
  /**
   * The dialog of the request. Undefined for a request outside a dialog, until our first response with a tag
   * creates one.
   */
  dialog: ServerDialog | undefined
  readonly provisionals: ReliableProvisionals | undefined
  /**
   * The kind of reliable provisional response that still waits for its PRACK; undefined when there is none.
   */
  unacknowledged: UnacknowledgedKind | undefined
  /** An UPDATE that arrived before the INVITE was answered; the application sees it under the INVITE's id. */
  update: ServerTransaction | undefined
  /** Ends the request when the application has sent no response in time. */
  silence: NodeJS.Timeout | undefined
}

/** A request of the application that waits for the network's response. */
export interface OutgoingRequest {
  readonly id: string
  readonly client: Client
  readonly request: SipRequest
  readonly dialogId: string
  transaction: ClientTransaction | undefined
  dialog: ServerDialog | undefined
  isCancelled: boolean
  /** The RSeq of the last reliable provisional response that the application received. */
  lastRSeq: number
  /** The further branches of a forked INVITE that answered, by tag; each is hung up once. */
  readonly otherBranches: Map<string, Dialog>
}

export class CallTable {
  readonly #incoming = new Map<string, IncomingRequest>()
  readonly outgoing = new Map<string, OutgoingRequest>()
  readonly #dialogs = new Map<string, ServerDialog>()
  /** The dialogs by Call-ID and both tags (RFC 3261 §12). */
  readonly #byIdentity = new Map<string, ServerDialog>()
  readonly #byCallId = new Map<string, ServerDialog>()

  get incomingCount(): number {
    return this.#incoming.size
  }

  get dialogCount(): number {
    return this.#dialogs.size
  }

  dialogs(): ServerDialog[] {
    return [...this.#dialogs.values()]
  }

  addDialog(dialog: ServerDialog): void {
    const { identity } = dialog.dialog
    this.#dialogs.set(dialog.id, dialog)
    this.#byIdentity.set(identityKey(identity), dialog)
    this.#byCallId.set(identity.callId, dialog)
  }

  removeDialog(dialog: ServerDialog): void {
    const { identity } = dialog.dialog
    dialog.timer.clear()
    for (const { transaction } of dialog.unacknowledged.values()) transaction.ackReceived()
    dialog.unacknowledged.clear()
    this.#dialogs.delete(dialog.id)
    this.#byIdentity.delete(identityKey(identity))
    if (this.#byCallId.get(identity.callId) === dialog) this.#byCallId.delete(identity.callId)
  }

  /**
   * Replaces the SIP dialog when the branch that answers a forked INVITE is not the branch that rang first.
   */
  replaceDialog(dialog: ServerDialog, answered: Dialog): void {
    this.#byIdentity.delete(identityKey(dialog.dialog.identity))
    dialog.dialog = answered
    this.#byIdentity.set(identityKey(answered.identity), dialog)
  }

  dialogById(id: string): ServerDialog | undefined {
    return this.#dialogs.get(id)
  }

  dialogByCallId(callId: string): ServerDialog | undefined {
    return this.#byCallId.get(callId)
  }

  /**
   * Finds the dialog that a request of the peer names by Call-ID and both tags (RFC 3261 §12.2.2).
   */
  dialogOf(request: SipRequest): ServerDialog | undefined {
    const callId = getHeader(request, 'Call-ID') ?? ''
    const remoteTag = tagOf(request, 'From')
    return this.#byIdentity.get(identityKey({ callId, localTag: tagOf(request, 'To'), remoteTag }))
  }

  addIncoming(incoming: IncomingRequest): void {
    this.#incoming.set(incoming.id, incoming)
  }

  incomingById(id: string): IncomingRequest | undefined {
    return this.#incoming.get(id)
  }

  incoming(): IncomingRequest[] {
    return [...this.#incoming.values()]
  }

  endIncoming(incoming: IncomingRequest): void {
    clearTimeout(incoming.silence)
    incoming.silence = undefined
    incoming.provisionals?.clear()
    this.#incoming.delete(incoming.id)
  }
}

function identityKey({
  callId,
  localTag,
  remoteTag,
}: Pick<DialogIdentity, 'callId' | 'localTag' | 'remoteTag'>): string {
  return `${callId} ${localTag} ${remoteTag}`
}

export function dialogIdOf(invite: SipRequest): string {
  return `${getHeader(invite, 'Call-ID') ?? ''};from-tag=${tagOf(invite, 'From')}`
}

const TAG_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnprstuvwxyz0123456789'

export function newTag(): string {
  return [...randomBytes(13)].map((byte) => TAG_LETTERS[byte % TAG_LETTERS.length]).join('')
}

/** Our address on the transport and in the address family that this peer uses. */
export function ownAddress(stack: SipStack, peer: PeerPlace): SipPeer {
  const [own] = contactsToward(stack.contacts, peer)
  const { transport } = peer
  return own ?? stack.contacts[0] ?? { transport, address: '127.0.0.1', port: 5060 }
}
