/** Models calls on top of the stack, for the lab's media server and its phones. */
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { SipPeer, SipStack } from '../model/stack-types.js'

export interface UserAgent extends AsyncDisposable {
  readonly stack: SipStack
  /**
   * Called for every INVITE outside a dialog. The handler must answer, reject, or let `ended` come
   * (CANCEL).
   */
  onInvite(handler: (invite: IncomingCall) => void): void
  /** The number of live dialogs, early ones included. */
  dialogCount(): number
}

export interface SipCallEvents {
  /** Called when the dialog is confirmed: ACK sent or received. */
  onConfirmed?(): void
  /**
   * Called with the peer's new description (re-INVITE, UPDATE, or SDP in the ACK); the result is
   * the answer's SDP, or a refusal.
   */
  onOffer?(sdp: string, request: SipRequest): Promise<string | { readonly refuse: number }>
  /**
   * Called with the description that answers our own offer; `message` is the INVITE without an offer
   * that asked for ours, or the response that brought the answer.
   */
  onAnswer?(sdp: string, message?: SipRequest | SipResponse): void
  onInfo?(request: SipRequest): void
  /**
   * Called once, whatever the end: BYE from either side, CANCEL, a failed INVITE, no ACK, session
   * expiry.
   */
  onEnded?(end: SipCallEnd): void
}

export interface SipCallEnd {
  readonly by: 'us' | 'them' | 'timeout'
  /** The final status of the INVITE when it never was confirmed, else 200. */
  readonly status: number
  readonly reason?: string | undefined
}

export interface IncomingCall {
  readonly request: SipRequest
  readonly from: SipPeer
  readonly callId: string
  /** The offer, absent when the INVITE had none (late offer: ours goes into the 200). */
  readonly offer: string | undefined
  setEvents(events: SipCallEvents): void
  ring(status: 180 | 183, sdp?: string): void
  /** Sends 200 with this description. */
  answer(sdp: string, headers?: readonly SipHeader[]): void
  reject(status: number, reason?: string, headers?: readonly SipHeader[]): void
  /** Sends BYE; before the answer a 480. Safe at any time, once or often. */
  hangup(headers?: readonly SipHeader[]): void
  sendInfo(contentType: string, body: string): void
  reinvite(sdp: string): void
}
