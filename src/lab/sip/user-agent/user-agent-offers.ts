/**
 * Offers and answers inside one dialog (RFC 3261 §14, RFC 3311): one exchange at a time; glare is
 * answered 491 and retried; each 2xx is stored until its ACK.
 */
import { randomInt } from 'node:crypto'
import type { Dialog } from '../dialog/dialog.js'
import { sequenceOf } from '../dialog/dialog.js'
import { afterGlareMs } from '../dialog/glare.js'
import { getHeader } from '../message/headers.js'
import { makeResponse } from '../message/make-response.js'
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { ServerTransaction, SipPeer, SipStack } from '../model/stack-types.js'

export interface OfferExchangeDeps {
  readonly stack: SipStack
  readonly dialog: Dialog
  /**
   * Returns Contact, Allow and similar headers for our INVITEs and 2xx; `request` is the peer's,
   * absent for our own.
   */
  headers(request?: SipRequest): readonly SipHeader[]
  onOffer(sdp: string, request: SipRequest): Promise<string | { readonly refuse: number }>
  /**
   * Called with the answer to our offer. `message` is the INVITE without an offer that requested
   * it, or the response with the answer.
   */
  onAnswer(sdp: string, message: SipRequest | SipResponse): void
  /** Called after a request or 2xx that may carry a new session interval. */
  onRefreshed(message: SipRequest | SipResponse, from: 'us' | 'them'): void
  /** Called when the dialog no longer exists at the peer, or the peer is gone: 408, 481, no ACK. */
  onLost(reason: string): void
  onError(error: unknown, doing: string): void
}

export const SDP_TYPE: SipHeader = { name: 'Content-Type', value: 'application/sdp' }

interface Unacknowledged {
  readonly transaction: ServerTransaction
  readonly expectsAnswer: boolean
}

export class OfferExchange {
  readonly #deps: OfferExchangeDeps
  readonly #unacknowledged = new Map<number, Unacknowledged>()
  #offering: 'nobody' | 'us' | 'them' | 'closed' = 'nobody'
  #localSdp = ''
  #wanted: string | undefined
  #lastAck: SipRequest | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(deps: OfferExchangeDeps) {
    this.#deps = deps
  }

  get localSdp(): string {
    return this.#localSdp
  }

  /**
   * Accepts an INVITE with 200 and waits for its ACK; when the INVITE has no offer, `sdp` is our
   * offer.
   */
  accept(transaction: ServerTransaction, sdp: string, headers: readonly SipHeader[] = []): void {
    const { request } = transaction
    this.#localSdp = sdp
    if (request.method === 'INVITE') {
      const expectsAnswer = request.body.length === 0
      this.#unacknowledged.set(sequenceOf(request), { transaction, expectsAnswer })
      transaction.onTimeout = () => {
        this.#deps.onLost('no ACK')
      }
    }
    const all = [...this.#deps.headers(request), ...headers, ...(sdp === '' ? [] : [SDP_TYPE])]
    transaction.respond(makeResponse(200, { headers: all, body: Buffer.from(sdp) }))
  }

  /** Processes an ACK; true when it acknowledges one of our pending 2xx. */
  acknowledge(ack: SipRequest): boolean {
    const sequence = sequenceOf(ack)
    const waiting = this.#unacknowledged.get(sequence)
    if (waiting === undefined) return false
    this.#unacknowledged.delete(sequence)
    waiting.transaction.ackReceived()
    if (waiting.expectsAnswer) {
      if (ack.body.length === 0) this.#deps.onLost('no answer in the ACK')
      else this.#deps.onAnswer(ack.body.toString('utf8'), waiting.transaction.request)
    }
    this.#next()
    return true
  }

  /** Receives a re-INVITE or UPDATE of the peer. */
  async receive(transaction: ServerTransaction): Promise<void> {
    const { request } = transaction
    if (request.method === 'UPDATE' && request.body.length === 0) {
      transaction.respond(makeResponse(200, { headers: this.#deps.headers(request) }))
      this.#deps.onRefreshed(request, 'them')
      return
    }
    const refusal = this.#refusal(request)
    if (refusal !== undefined) {
      transaction.respond(refusal)
      return
    }
    this.#deps.dialog.refreshTarget(request, transaction.from)
    if (request.body.length === 0) this.accept(transaction, this.#localSdp)
    else await this.#answer(transaction)
    this.#deps.onRefreshed(request, 'them')
  }

  /** Offers this description; waits until a running exchange has ended. */
  offer(sdp: string): void {
    if (this.#offering === 'closed') return
    if (this.#offering !== 'nobody' || this.#unacknowledged.size > 0) {
      this.#wanted = sdp
      return
    }
    clearTimeout(this.#retry)
    this.#offering = 'us'
    const { dialog, stack } = this.#deps
    const request = dialog.request('INVITE', [...this.#deps.headers(), SDP_TYPE], Buffer.from(sdp))
    const events = {
      onResponse: (response: SipResponse, from: SipPeer) => {
        this.#onResponse(request, sdp, response, from)
      },
      onFailure: () => {
        this.#onRefused(sdp, 408)
      },
    }
    stack.send(request, events, dialog.destination).catch((error: unknown) => {
      this.#deps.onError(error, 're-INVITE')
      this.#onRefused(sdp, 408)
    })
  }

  close(): void {
    this.#offering = 'closed'
    clearTimeout(this.#retry)
    for (const { transaction } of this.#unacknowledged.values()) transaction.ackReceived()
    this.#unacknowledged.clear()
  }

  #refusal(request: SipRequest): SipResponse | undefined {
    if (this.#offering === 'us') return makeResponse(491)
    if (this.#offering === 'closed') return makeResponse(481)
    // RFC 3261 §14.2: their previous INVITE has not ended yet.
    if (this.#offering === 'them' || this.#unacknowledged.size > 0)
      return makeResponse(500, { headers: [{ name: 'Retry-After', value: String(randomInt(11)) }] })
    const type = getHeader(request, 'Content-Type') ?? ''
    const isSdp = request.body.length === 0 || /^application\/sdp *(;|$)/i.test(type)
    if (isSdp) return undefined
    return makeResponse(415, { headers: [{ name: 'Accept', value: 'application/sdp' }] })
  }

  async #answer(transaction: ServerTransaction): Promise<void> {
    this.#offering = 'them'
    const { request } = transaction
    const answer = await this.#deps.onOffer(request.body.toString('utf8'), request)
    // The dialog may have ended in the meantime.
    if ((this.#offering as string) === 'closed') {
      transaction.respond(makeResponse(487))
      return
    }
    this.#offering = 'nobody'
    if (typeof answer === 'string') this.accept(transaction, answer)
    else transaction.respond(makeResponse(answer.refuse))
    this.#next()
  }

  #onResponse(request: SipRequest, sdp: string, response: SipResponse, from: SipPeer): void {
    if (response.status < 200 || this.#offering === 'closed') return
    // A repeated 2xx: our ACK was lost (RFC 3261 §13.2.2.4).
    if (this.#lastAck !== undefined && sequenceOf(this.#lastAck) === sequenceOf(request)) {
      this.#acknowledge(this.#lastAck)
      return
    }
    if (response.status >= 300) {
      this.#onRefused(sdp, response.status)
      return
    }
    const { dialog } = this.#deps
    dialog.refreshTarget(response, from)
    this.#lastAck = dialog.ack(sequenceOf(request))
    this.#acknowledge(this.#lastAck)
    this.#offering = 'nobody'
    this.#localSdp = sdp
    this.#deps.onRefreshed(response, 'us')
    if (response.body.length > 0) this.#deps.onAnswer(response.body.toString('utf8'), response)
    this.#next()
  }

  #acknowledge(ack: SipRequest): void {
    const { stack, dialog } = this.#deps
    stack.sendAck(ack, dialog.destination).catch((error: unknown) => {
      this.#deps.onError(error, 'ACK')
    })
  }

  #onRefused(sdp: string, status: number): void {
    if (this.#offering === 'closed') return
    this.#offering = 'nobody'
    if (status === 408 || status === 481) {
      this.#deps.onLost(`re-INVITE answered ${status}`)
      return
    }
    if (status === 491) {
      this.#wanted ??= sdp
      const { callIdOf } = this.#deps.dialog.identity
      this.#retry = setTimeout(
        () => {
          this.#next()
        },
        afterGlareMs(callIdOf, Math.random),
      )
      return
    }
    this.#next()
  }

  #next(): void {
    const wanted = this.#wanted
    if (wanted === undefined || this.#offering !== 'nobody') return
    this.#wanted = undefined
    this.offer(wanted)
  }
}
