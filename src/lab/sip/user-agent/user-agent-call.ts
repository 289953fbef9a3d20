/**
 * A call that came in, from the INVITE to the BYE.
 *
 *   ringing ──answer──▶ answered ──ACK──▶ confirmed ──▶ ended
 *      │                   │ hangup: BYE must wait for the ACK (RFC 3261 §15)
 *      └─ reject, CANCEL   └────────▶ closing ──ACK──▶ ended
 */
import { type Dialog, dialogOfServer } from '../dialog/dialog.js'
import { ReliableProvisionals } from '../dialog/reliable-provisionals.js'
import {
  formatSessionInterval,
  MIN_SESSION_SECONDS,
  readSessionInterval,
  SessionTimer,
  supports,
} from '../dialog/session-timer.js'
import { getHeader, getHeaders, getListValues } from '../message/headers.js'
import { makeResponse } from '../message/make-response.js'
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { ServerTransaction, SipPeer, SipStack } from '../model/stack-types.js'
import { OfferExchange, SDP_TYPE } from './user-agent-offers.js'
import type { IncomingCall, SipCallEnd, SipCallEvents } from './user-agent-types.js'

/** The parts of the user agent that a call uses. */
export interface CallDeps {
  readonly stack: SipStack
  /** Our Contact, Allow, Supported and name, for responses and INVITEs to this peer. */
  readonly headers: readonly SipHeader[]
  /** Called when nothing more will be sent or expected in this dialog. */
  onOver(): void
  readonly onError: (error: unknown, doing: string) => void
}

type Phase = 'ringing' | 'answered' | 'confirmed' | 'closing' | 'ended'

export class UserAgentCall implements IncomingCall {
  readonly #transaction: ServerTransaction
  readonly #deps: CallDeps
  readonly #dialog: Dialog
  readonly #offers: OfferExchange
  readonly #provisionals: ReliableProvisionals
  readonly #timer: SessionTimer
  #phase: Phase = 'ringing'
  #events: SipCallEvents = {}
  /** The work that waits for a PRACK or an ACK. */
  #deferred: (() => void) | undefined

  constructor(transaction: ServerTransaction, deps: CallDeps) {
    this.#transaction = transaction
    this.#deps = deps
    this.#dialog = dialogOfServer(transaction.request, transaction.from, transaction.toTag)
    this.#timer = new SessionTimer({
      onRefresh: () => {
        this.reinvite(this.#offers.localSdp)
      },
      onExpired: () => {
        this.#lost('session expired')
      },
    })
    this.#offers = new OfferExchange({
      stack: deps.stack,
      dialog: this.#dialog,
      headers: (request) => this.#headers(request),
      onOffer: (sdp, request) =>
        this.#events.onOffer?.(sdp, request) ?? Promise.resolve({ refuse: 488 }),
      onAnswer: (sdp, message) => this.#events.onAnswer?.(sdp, message),
      onRefreshed: (message, from) => {
        this.#armTimer(message, from)
      },
      onLost: (reason) => {
        this.#lost(reason)
      },
      onError: deps.onError,
    })
    this.#provisionals = new ReliableProvisionals(transaction, (outcome) => {
      if (outcome === 'given-up') this.reject(504)
      else if (!this.#provisionals.isPending) this.#deferred?.()
    })
    // The stack's ringing limit; an answer sets its own timeout.
    transaction.onTimeout = () => {
      this.reject(408)
    }
  }

  get request(): SipRequest {
    return this.#transaction.request
  }

  get from(): SipPeer {
    return this.#transaction.from
  }

  get callId(): string {
    return this.#dialog.identity.callId
  }

  get offer(): string | undefined {
    const { body } = this.request
    return body.length === 0 ? undefined : body.toString('utf8')
  }

  setEvents(events: SipCallEvents): void {
    this.#events = events
  }

  ring(status: 180 | 183, sdp?: string): void {
    if (this.#phase !== 'ringing') return
    const response = makeResponse(status, {
      headers: [...this.#answerHeaders(), ...(sdp === undefined ? [] : [SDP_TYPE])],
      body: Buffer.from(sdp ?? ''),
    })
    const isRequired = getListValues(this.request, 'Require').includes('100rel')
    if (isRequired) this.#provisionals.send(response)
    else this.#transaction.respond(response)
  }

  answer(sdp: string, headers: readonly SipHeader[] = []): void {
    if (this.#phase !== 'ringing') return
    if (this.#provisionals.isPending) {
      // RFC 3262 §3: no 2xx while a reliable provisional response waits for its PRACK.
      this.#deferred = () => {
        this.answer(sdp, headers)
      }
      return
    }
    this.#phase = 'answered'
    this.#offers.accept(this.#transaction, sdp, [...this.#dialogHeaders(), ...headers])
    this.#armTimer(this.request, 'them')
  }

  reject(status: number, reason?: string, headers: readonly SipHeader[] = []): void {
    if (this.#phase !== 'ringing') return
    this.#respondFinally(status, reason, headers)
    this.#end({ by: 'us', status, reason })
    this.#over()
  }

  hangup(headers: readonly SipHeader[] = []): void {
    switch (this.#phase) {
      case 'ringing':
        this.reject(480, undefined, headers)
        break
      case 'answered':
        this.#phase = 'closing'
        this.#deferred = () => {
          this.#bye(headers)
        }
        this.#end({ by: 'us', status: 200 })
        break
      case 'confirmed':
        this.#bye(headers)
        this.#end({ by: 'us', status: 200 })
        break
      case 'closing':
      case 'ended':
    }
  }

  sendInfo(contentType: string, body: string): void {
    if (this.#phase !== 'confirmed') return
    this.#send('INFO', [{ name: 'Content-Type', value: contentType }], Buffer.from(body))
  }

  reinvite(sdp: string): void {
    if (this.#phase !== 'confirmed') return
    this.#offers.offer(sdp)
  }

  /** Ends the call after a CANCEL, which is already answered. */
  cancelled(): void {
    if (this.#phase !== 'ringing') return
    this.#respondFinally(487)
    this.#end({ by: 'them', status: 487 })
    this.#over()
  }

  /** Receives a request inside the dialog. */
  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    if (!this.#dialog.accept(request)) {
      transaction.respond(makeResponse(500))
    } else if (request.method === 'PRACK') {
      transaction.respond(makeResponse(this.#provisionals.acknowledge(request) ? 200 : 481))
    } else if (request.method === 'BYE') {
      this.#receiveBye(transaction)
    } else if (this.#phase === 'closing' || this.#phase === 'ended') {
      transaction.respond(makeResponse(481))
    } else {
      this.#receiveOther(transaction)
    }
  }

  acknowledge(ack: SipRequest): void {
    if (!this.#offers.acknowledge(ack)) return
    if (this.#phase === 'answered') {
      this.#phase = 'confirmed'
      this.#events.onConfirmed?.()
    } else if (this.#phase === 'closing') this.#deferred?.()
  }

  #receiveBye(transaction: ServerTransaction): void {
    if (this.#phase === 'ringing') this.#respondFinally(487)
    transaction.respond(makeResponse(200))
    const reason = getHeader(transaction.request, 'Reason')
    this.#end({ by: 'them', status: 200, reason })
    this.#over()
  }

  #receiveOther(transaction: ServerTransaction): void {
    switch (transaction.request.method) {
      case 'INVITE':
      case 'UPDATE':
        this.#offers.receive(transaction).catch((error: unknown) => {
          this.#deps.onError(error, transaction.request.method)
          transaction.respond(makeResponse(500))
        })
        break
      case 'INFO':
        transaction.respond(makeResponse(200))
        this.#events.onInfo?.(transaction.request)
        break
      case 'OPTIONS':
        transaction.respond(makeResponse(200, { headers: this.#deps.headers }))
        break
      default:
        transaction.respond(makeResponse(405, { headers: this.#deps.headers }))
    }
  }

  #respondFinally(status: number, reason?: string, headers: readonly SipHeader[] = []): void {
    const parts = { reason, headers: [this.#to(), ...headers] }
    this.#transaction.respond(makeResponse(status, parts))
  }

  #bye(headers: readonly SipHeader[]): void {
    this.#phase = 'ended'
    this.#offers.close()
    this.#timer.clear()
    this.#send('BYE', headers, Buffer.alloc(0), () => {
      this.#over()
    })
  }

  #lost(reason: string): void {
    if (this.#phase === 'ended') return
    this.#bye([{ name: 'Reason', value: `SIP ;cause=408 ;text="${reason}"` }])
    this.#end({ by: 'timeout', status: 200, reason })
  }

  #send(
    method: string,
    headers: readonly SipHeader[],
    body: Buffer,
    onDone: () => void = () => undefined,
  ): void {
    const request = this.#dialog.request(method, headers, body)
    const events = {
      onResponse: (response: SipResponse) => {
        if (response.status < 200) return
        // RFC 3261 §12.2.1.2: the dialog no longer exists at the peer.
        if (response.status === 408 || response.status === 481) this.#lost(`${method} unknown`)
        onDone()
      },
      onFailure: () => {
        this.#lost(`${method} unanswered`)
        onDone()
      },
    }
    this.#deps.stack.send(request, events, this.#dialog.destination).catch((error: unknown) => {
      this.#deps.onError(error, method)
      onDone()
    })
  }

  #armTimer(message: SipRequest | SipResponse, from: 'us' | 'them'): void {
    const interval = readSessionInterval(message)
    if (interval === undefined) {
      this.#timer.clear()
      return
    }
    // Without a role in the request, its sender is the refresher (RFC 4028 §9).
    const refresher = interval.refresher ?? 'uac'
    const areWeRefresher = from === 'us' ? refresher === 'uac' : refresher === 'uas'
    this.#timer.arm(Math.max(interval.seconds, MIN_SESSION_SECONDS), areWeRefresher)
  }

  #headers(request: SipRequest | undefined): readonly SipHeader[] {
    const interval = request && readSessionInterval(request)
    const armed = this.#timer.armed
    const session =
      interval ?? (armed && request === undefined ? { seconds: armed.seconds } : undefined)
    if (session === undefined) return this.#deps.headers
    const value = formatSessionInterval(session)
    const isRequired = request !== undefined && supports(request, 'timer')
    return [
      ...this.#deps.headers,
      { name: 'Session-Expires', value },
      ...(isRequired ? [{ name: 'Require', value: 'timer' }] : []),
    ]
  }

  #answerHeaders(): SipHeader[] {
    return [...this.#dialogHeaders(), ...this.#deps.headers]
  }

  /** The headers with which a response creates the dialog (RFC 3261 §12.1.1). */
  #dialogHeaders(): SipHeader[] {
    const routes = getHeaders(this.request, 'Record-Route')
    return [this.#to(), ...routes.map((value) => ({ name: 'Record-Route', value }))]
  }

  #to(): SipHeader {
    return { name: 'To', value: this.#dialog.identity.localParty }
  }

  #end(end: SipCallEnd): void {
    const events = this.#events
    this.#events = {}
    events.onEnded?.(end)
  }

  #over(): void {
    this.#phase = 'ended'
    this.#offers.close()
    this.#provisionals.clear()
    this.#timer.clear()
    this.#deps.onOver()
  }
}
