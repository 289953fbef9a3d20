/** Models calls on top of the stack, for the lab's media server and its phones. */
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { SipPeer, SipStack } from '../model/stack-types.js'

export interface UserAgent extends AsyncDisposable {
  readonly stack: SipStack
  /**
   * Called for every INVITE outside a dialog. The handler must answer, reject, or wait for `ended`
   * (CANCEL).
   */
  onInvite(handler: (invite: IncomingCall) => void): void
  /** Number of live dialogs, early ones included. */
  dialogCount(): number
}

export interface SipCallEvents {
  /** Called when the dialog is confirmed: ACK sent or received. */
  onConfirmed?(): void
  /**
   * Called with the peer's new description (re-INVITE, UPDATE, or SDP in the ACK); resolves with
   * the answer's SDP, or a refusal.
   */
  onOffer?(sdp: string, request: SipRequest): Promise<string | { readonly refuse: number }>
  /**
   * Called with the answer to our own offer; `message` is the INVITE without an offer that
   * requested it, or the response with the answer.
   */
  onAnswer?(sdp: string, message?: SipRequest | SipResponse): void
  onInfo?(request: SipRequest): void
  /** Called once at the end: BYE from either side, CANCEL, a failed INVITE, no ACK, session expiry. */
  onEnded?(end: SipCallEnd): void
}

export interface SipCallEnd {
  readonly by: 'us' | 'them' | 'timeout'
  /** The final status of the INVITE when it was never confirmed, else 200. */
  readonly status: number
  readonly reason?: string | undefined
}

export interface IncomingCall {
  readonly request: SipRequest
  readonly from: SipPeer
  readonly callId: string
  /** The offer; absent when the INVITE had none (late offer: ours is in the 200). */
  readonly offer: string | undefined
  setEvents(events: SipCallEvents): void
  ring(status: 180 | 183, sdp?: string): void
  /** Sends 200 with this description. */
  answer(sdp: string, headers?: readonly SipHeader[]): void
  reject(status: number, reason?: string, headers?: readonly SipHeader[]): void
  /** Sends BYE, or 480 before the answer. Safe at any time; may be repeated. */
  hangup(headers?: readonly SipHeader[]): void
  sendInfo(contentType: string, body: string): void
  reinvite(sdp: string): void
}
