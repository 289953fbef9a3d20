import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import { EndpointRefusedError } from '../freeswitch/channel-maker.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { peerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, LegEndedError, type LegEvents } from '../port.js'
import { answerTo, audioOf, offerOf, type PeerSdp } from '../sdp.js'
import { isSecureTransport } from '../secure-hop.js'
import { answerContact } from '../signaling/answer-contact.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import { inviteFactsOf } from '../signaling/dialog-facts-of.js'
import { endDialog } from '../signaling/end-dialog.js'
import { sipText } from '../signaling/sip-text.js'
import { BaseLeg } from './base-leg.js'
import {
  INBOUND_LEG_STATES,
  type InboundEffect,
  type InboundEvent,
  type InboundState,
  stepInbound,
} from './inbound-machine.js'
import { type LegDeps, tell } from './leg-deps.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'

const NOT_ACCEPTABLE_HERE = 488
const SERVICE_UNAVAILABLE = 503

export interface TakenInvite {
  readonly req: SrfRequest
  readonly res: SrfResponse
  /** True when the CANCEL came before the call was accepted. */
  readonly isCanceled: boolean
}

/** Drives one inbound leg: performs what its machine decides. */
export class InboundLeg extends BaseLeg {
  override readonly direction = 'inbound'
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders']
  readonly #req: SrfRequest
  readonly #res: SrfResponse
  readonly #peer: PeerSdp | undefined
  readonly #timers = new Timers<'ack'>()
  #now: InboundState = { state: 'offered' }
  #answering: Promise<void> | undefined
  #onAnswered: (() => void) | undefined
  #isAccepted = false

  constructor(invite: TakenInvite, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    const { req, res } = invite
    this.sipCallId = req.get('Call-ID') ?? ''
    this.remoteHeaders = applicationHeaders(req)
    this.#req = req
    this.#res = res
    this.#peer = req.body ? audioOf(req.body) : undefined
    // The application has received the leg by the next microtask.
    queueMicrotask(() => {
      this.sip(sipStep('received', 'INVITE', req))
    })
    req.on('cancel', (cancel?: SrfRequest) => {
      this.sip(sipStep('received', 'CANCEL', cancel))
      this.#dispatch({ type: 'cancel' })
    })
    if (invite.isCanceled)
      queueMicrotask(() => {
        this.#dispatch({ type: 'cancel' })
      })
  }

  override get state(): Leg['state'] {
    return INBOUND_LEG_STATES[this.#now.state]
  }

  override get openInvites(): Leg['openInvites'] {
    const { signaling } = this.deps
    if (this.#isAccepted || (this.#now.state === 'ended' && signaling.isOpen)) return []
    return [inviteFactsOf(this.#req, 'peer', signaling.name)]
  }

  /** Rings, and makes the endpoint at once so that the answer is quicker. */
  override async ring(options: { readonly withMedia?: boolean } = {}): Promise<void> {
    this.requireUnanswered()
    this.#dispatch({ type: 'ring' })
    // A 183 can carry an answer but no offer (RFC 3261 §13.2.1).
    if (options.withMedia === true && this.#peer) {
      const endpoint = await this.#prepare()
      this.requireUnanswered()
      await this.#sendProvisional(183, answerTo(this.#peer, endpoint.localSdp))
      return
    }
    // A failure ends the leg, and the leg's end reports it.
    this.#prepare().catch(() => undefined)
    this.requireUnanswered()
    await this.#sendProvisional(180)
  }

  override answer(): Promise<void> {
    this.#answering ??= this.#answer()
    return this.#answering
  }

  override hangup(
    options: { readonly status?: number; readonly reason?: string } = {},
  ): Promise<void> {
    if (options.reason !== undefined) sipText(options.reason)
    this.#dispatch({ ...options, type: 'hangup' })
    return this.whenOver()
  }

  protected override onSignalingLost(): void {
    this.#dispatch({ type: 'signaling-lost' })
  }

  protected override onMediaLost(): void {
    this.#dispatch({ type: 'media-lost' })
  }

  /**
   * Takes a BYE. drachtio ends the dialog by itself when our 200 got no ACK (RFC 3261 §13.3.1.4).
   */
  protected override onBye(isFromPeer: boolean): void {
    const isUnacknowledged = ['unacknowledged', 'withdrawing'].includes(this.#now.state)
    this.#dispatch({ type: isUnacknowledged && !isFromPeer ? 'ack-limit' : 'bye' })
  }

  #dispatch(event: InboundEvent): void {
    const step = stepInbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  #perform(effect: InboundEffect): void {
    switch (effect.type) {
      case 'refuse':
        this.#refuse(effect.status, effect.reason)
        return
      case 'bye':
        void this.sayBye().then(() => {
          this.#dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        this.#timers.clear('ack')
        this.#onAnswered?.()
        tell(this.deps.log, this.events.onAnswered?.bind(this.events))
        return
      case 'finish':
        this.#timers.clearAll()
        this.#req.removeAllListeners('cancel')
        if (this.#now.state === 'ended') void this.finish(this.#now.end)
    }
  }

  /** Makes the endpoint for the peer's offer. When that fails, the leg is refused. */
  async #prepare(): Promise<MediaEndpoint> {
    if (this.#req.body && !this.#peer)
      return this.#fail(NOT_ACCEPTABLE_HERE, 'no usable audio in the offer')
    if (this.#peer?.security === 'secure' && !this.#areKeysSafe())
      return this.#fail(NOT_ACCEPTABLE_HERE, 'keys of SRTP are taken over TLS only')
    try {
      const offer = { offer: 'plain', party: this.#req.source_address } as const
      return await this.endpoint(this.#peer ? peerAudio(this.#peer, this.#req) : offer)
    } catch (err) {
      this.deps.log.warn({ err }, 'no media endpoint for an inbound leg')
      const isOfferRefused =
        err instanceof EndpointRefusedError && err.sipStatus === NOT_ACCEPTABLE_HERE
      return this.#fail(
        isOfferRefused ? NOT_ACCEPTABLE_HERE : SERVICE_UNAVAILABLE,
        'no channel on the media server',
      )
    }
  }

  /** RFC 4568 §8.3: where there is TLS, keys go over nothing else; ours would follow the caller's. */
  #areKeysSafe(): boolean {
    return isSecureTransport(this.#req.protocol) || !this.deps.signaling.hasTls
  }

  #fail(status: number, reason: string): never {
    this.#dispatch({ type: 'failed', status, reason })
    throw new LegEndedError(reason)
  }

  async #answer(): Promise<void> {
    this.requireUnanswered()
    this.#dispatch({ type: 'answer' })
    const endpoint = await this.#prepare()
    if (this.#now.state !== 'answering') throw new LegEndedError('the leg is over')
    const localSdp = this.#peer
      ? answerTo(this.#peer, endpoint.localSdp)
      : (offerOf(endpoint.localSdp, 'plain') ?? endpoint.localSdp)
    this.#dispatch({ type: 'send' })
    const answered = this.#whenAnswered()
    this.#sendAnswer(endpoint, localSdp).catch((err: unknown) => {
      this.deps.log.debug({ err }, '200 not sent')
      this.#dispatch({ type: 'unsendable' })
    })
    await answered
  }

  async #sendAnswer(endpoint: MediaEndpoint, localSdp: string): Promise<void> {
    const { signaling, limits, log } = this.deps
    const headers = { ...answerContact(this.#req) }
    const dialog = await signaling.srf.createUAS(this.#req, this.#res, { localSdp, headers })
    this.#isAccepted = true
    this.sip(sipStep('sent', '200 OK', this.#req))
    if (this.#now.state === 'ended') {
      await endDialog(signaling, dialog, limits.byeMs, log)
      return
    }
    const remoteSdp = this.#req.body ?? ''
    dialog.once('ack', (ack: SrfRequest) => {
      void this.#acknowledged(endpoint, ack)
    })
    this.#dispatch({ type: 'sent' })
    this.#timers.arm('ack', limits.ackMs, () => {
      this.#dispatch({ type: 'ack-limit' })
    })
    const security = this.#peer?.security ?? 'plain'
    this.adopt(dialog, { endpoint, remoteSdp, localSdp, security })
  }

  /**
   * Takes the ACK. When the INVITE had no offer, the ACK brings the answer to ours (RFC 3261
   * §13.2.2.4).
   */
  async #acknowledged(endpoint: MediaEndpoint, ack: SrfRequest): Promise<void> {
    this.sip(sipStep('received', 'ACK', ack))
    this.#timers.clear('ack')
    if (!this.#peer) {
      const peer = ack.body ? audioOf(ack.body, 'plain') : undefined
      try {
        if (!peer) throw new AdapterError('no usable audio in the ACK')
        await endpoint.takeAnswer(peerAudio(peer, ack))
      } catch (err) {
        this.deps.log.warn({ err }, 'the media server did not take the SDP answer in an ACK')
        this.#dispatch({ type: 'failed', status: 0, reason: 'the answer could not be followed' })
        // A BYE that waited for the ACK is sent now.
      }
    }
    this.#dispatch({ type: 'ack' })
  }

  #whenAnswered(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onAnswered = resolve
      void this.whenOver().then(() => {
        reject(new LegEndedError('the leg is over'))
      })
    })
  }

  #sendProvisional(status: 180 | 183, body?: string): Promise<void> {
    // RFC 3262 §3: a caller that requires 100rel gets reliable provisional responses.
    const isReliable = /(^|[\s,])100rel([\s,]|$)/i.test(this.#req.get('Require') ?? '')
    const options = {
      ...(body !== undefined && { body }),
      ...(isReliable && { headers: { Require: '100rel' } }),
    }
    return new Promise((resolve, reject) => {
      this.#res.send(status, options, (err) => {
        if (err !== undefined && err !== null) {
          reject(new AdapterError('a provisional response could not be sent', { cause: err }))
          return
        }
        const reason = status === 180 ? 'Ringing' : 'Session Progress'
        this.sip(responseStep('sent', { status, reason }))
        resolve()
      })
      void this.whenOver().then(() => {
        reject(new LegEndedError('the leg is over'))
      })
    })
  }

  #refuse(status: number, reason: string | undefined): void {
    this.sip(responseStep('sent', { status, reason: reason ?? '' }))
    try {
      if (reason === undefined) this.#res.send(status)
      else this.#res.send(status, reason)
    } catch (err) {
      this.deps.log.warn({ err, status }, 'final response not sent')
    }
  }
}
