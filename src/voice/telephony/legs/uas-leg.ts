import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { Codec } from '../codecs.js'
import { EndpointRefusedError } from '../freeswitch/channel-maker.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { peerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, type LegEnd, LegEndedError, type LegEvents, type SipPlace } from '../port.js'
import {
  answerOrder,
  answerTo,
  audioOf,
  NO_COMMON_CODEC,
  offerOf,
  offerWarning,
  type PeerSdp,
} from '../sdp.js'
import { mayBringKeys } from '../secure-hop.js'
import { inviteFactsOf } from '../signaling/dialog-facts-of.js'
import { endDialog } from '../signaling/end-dialog.js'
import { applicationHeaders } from '../signaling/headers.js'
import { CALL_CAPABILITIES, RELIABLE, requires } from '../signaling/option-tags.js'
import { answerContact, provisionalContact } from '../signaling/own-contact.js'
import { sipText } from '../signaling/sip-text.js'
import { BaseLeg } from './base-leg.js'
import { takePracks } from './dialog-requests.js'
import { type LegDeps, notify } from './leg-deps.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'
import {
  stepUas,
  UAS_LEG_STATES,
  type UasEffect,
  type UasEvent,
  type UasState,
} from './uas-machine.js'

export const NOT_ACCEPTABLE_HERE = 488
export const SERVICE_UNAVAILABLE = 503

/** A provisional response; one with early media carries our SDP. */
export interface Ringing {
  readonly status: 180 | 183
  readonly reason: string
  readonly sdp?: string
}

export const RINGING: Ringing = { status: 180, reason: 'Ringing' }

/**
 * An inbound leg: the user agent server of its dialog (RFC 3261 §6). It performs the effects of its machine.
 * A subclass sends the responses and the BYE.
 */
export abstract class UasLeg extends BaseLeg {
  override readonly direction = 'inbound'
  #now: UasState = { state: 'offered' }
  #answering: Promise<void> | undefined
  #onAnswered: (() => void) | undefined

  override get state(): Leg['state'] {
    return UAS_LEG_STATES[this.#now.state]
  }

  /** The state of the machine, which is more detailed than the port's. */
  protected get machineState(): UasState['state'] {
    return this.#now.state
  }

  /** The audio of the caller's offer; undefined without a usable one. */
  protected abstract readonly peer: PeerSdp | undefined
  /** Creates the endpoint for the caller's offer. When that fails, the leg is refused. */
  protected abstract prepare(): Promise<MediaEndpoint>
  /** Returns the SDP for the caller. */
  protected abstract answerFrom(endpoint: MediaEndpoint): string
  protected abstract sendProvisional(ringing: Ringing): Promise<void>
  /** Sends the 200, and dispatches `sent` and `ack` to the machine. */
  protected abstract sendAnswer(endpoint: MediaEndpoint, localSdp: string): Promise<void>
  protected abstract refuse(status: number, reason: string | undefined): void

  /** Sends a provisional response, and creates the endpoint at once, which makes the answer faster. */
  override async ring(options: { readonly withMedia?: boolean } = {}): Promise<void> {
    this.#requireUnanswered()
    this.dispatch({ type: 'ring' })
    // A 183 can carry an answer but not an offer (RFC 3261 §13.2.1).
    if (options.withMedia === true && this.peer) {
      const endpoint = await this.prepare()
      this.#requireUnanswered()
      const sdp = this.answerFrom(endpoint)
      await this.sendProvisional({ status: 183, reason: 'Session Progress', sdp })
      return
    }
    // A failure ends the leg, whose end is reported.
    this.prepare().catch(() => undefined)
    this.#requireUnanswered()
    await this.sendProvisional(RINGING)
  }

  override answer(): Promise<void> {
    this.#answering ??= this.#answer()
    return this.#answering
  }

  override hangup(
    options: { readonly status?: number; readonly reason?: string } = {},
  ): Promise<void> {
    if (options.reason !== undefined) sipText(options.reason)
    this.dispatch({ ...options, type: 'hangup' })
    return this.whenOver()
  }

  protected override onSignalingLost(): void {
    this.dispatch({ type: 'signaling-lost' })
  }

  protected override onMediaLost(): void {
    this.dispatch({ type: 'media-lost' })
  }

  protected dispatch(event: UasEvent): void {
    const step = stepUas(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  protected fail(status: number, reason: string): never {
    this.dispatch({ type: 'failed', status, reason })
    throw new LegEndedError(reason)
  }

  #perform(effect: UasEffect): void {
    switch (effect.type) {
      case 'refuse':
        this.refuse(effect.status, effect.reason)
        return
      case 'bye':
        void this.sendBye().then(() => {
          this.dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        this.#onAnswered?.()
        notify(this.deps.log, this.events.onAnswered?.bind(this.events))
        return
      case 'finish':
        if (this.#now.state === 'ended') void this.finish(this.#now.end)
    }
  }

  async #answer(): Promise<void> {
    this.#requireUnanswered()
    this.dispatch({ type: 'answer' })
    const endpoint = await this.prepare()
    if (this.#now.state !== 'answering') throw new LegEndedError('the leg is over')
    const localSdp = this.answerFrom(endpoint)
    this.dispatch({ type: 'send' })
    const answered = this.#whenAnswered()
    this.sendAnswer(endpoint, localSdp).catch((err: unknown) => {
      this.deps.log.debug({ err }, 'could not send the 200')
      this.dispatch({ type: 'unsendable' })
    })
    await answered
  }

  #whenAnswered(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onAnswered = resolve
      void this.whenOver().then(() => {
        reject(new LegEndedError('the leg is over'))
      })
    })
  }

  /** Throws unless the leg still waits for its answer. */
  #requireUnanswered(): void {
    if (this.state === 'ended') throw new LegEndedError('the leg is over')
    if (this.state === 'answered') throw new AdapterError('the leg is answered already')
  }
}

export interface AcceptedInvite {
  readonly req: SrfRequest
  readonly res: SrfResponse
  /** True when a CANCEL arrived before the call was accepted. */
  readonly isCanceled: boolean
  /** See `IncomingInvite.accept`. */
  readonly wish: readonly Codec[] | undefined
}

/** An inbound leg over SIP. */
export class SipUasLeg extends UasLeg {
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders']
  protected override readonly ownUri = undefined
  protected override readonly peer: PeerSdp | undefined
  readonly #req: SrfRequest
  readonly #res: SrfResponse
  readonly #wish: readonly Codec[] | undefined
  readonly #timers = new Timers<'ack'>()
  #isAccepted = false
  #isRinging = false
  /** The Warning header of the refusal, when the offer is the reason. */
  #warning: string | undefined
  /** The RAck that the PRACK for our reliable provisional response must have. */
  #rack: string | undefined

  constructor(invite: AcceptedInvite, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    const { req, res } = invite
    this.sipCallId = req.get('Call-ID') ?? ''
    this.remoteHeaders = applicationHeaders(req)
    this.#req = req
    this.#res = res
    this.#wish = invite.wish
    this.peer = req.body ? audioOf(req.body, undefined, answerOrder(invite.wish)) : undefined
    // The caller has received the leg by the next microtask.
    queueMicrotask(() => {
      this.sip(sipStep('received', 'INVITE', req))
      this.keep({ direction: 'received', text: req.raw, peer: this.hop })
    })
    req.on('cancel', (cancel?: SrfRequest) => {
      this.sip(sipStep('received', 'CANCEL', cancel))
      this.dispatch({ type: 'cancel' })
    })
    if (invite.isCanceled)
      queueMicrotask(() => {
        this.dispatch({ type: 'cancel' })
      })
  }

  protected override get hop(): SipPlace {
    const { protocol: transport, source_address: host, source_port: port } = this.#req
    return { transport, host, port }
  }

  override get openInvites(): Leg['openInvites'] {
    const { signaling } = this.deps
    if (this.#isAccepted || (this.machineState === 'ended' && signaling.isOpen)) return []
    return [inviteFactsOf(this.#req, 'peer', signaling.name)]
  }

  /** Handles a BYE. drachtio ends the dialog itself when our 200 got no ACK (RFC 3261 §13.3.1.4). */
  protected override onBye(isFromPeer: boolean): void {
    const isUnacknowledged = ['unacknowledged', 'withdrawing'].includes(this.machineState)
    this.dispatch({ type: isUnacknowledged && !isFromPeer ? 'ack-limit' : 'bye' })
  }

  protected override async prepare(): Promise<MediaEndpoint> {
    if (this.#req.body && !this.peer) {
      this.#warning = offerWarning(this.#req.body)
      return this.fail(NOT_ACCEPTABLE_HERE, 'no usable audio in the offer')
    }
    const { hasTls } = this.deps.signaling
    if (this.peer?.security === 'secure' && !mayBringKeys(this.#req.protocol, hasTls))
      return this.fail(NOT_ACCEPTABLE_HERE, 'keys of SRTP are taken over TLS only')
    try {
      const offer = { offer: 'plain', party: this.#req.source_address } as const
      return await this.endpoint(this.peer ? peerAudio(this.peer, this.#req) : offer)
    } catch (err) {
      this.deps.log.warn({ err }, 'could not create the media endpoint of an inbound leg')
      const isOfferRefused =
        err instanceof EndpointRefusedError && err.sipStatus === NOT_ACCEPTABLE_HERE
      if (isOfferRefused) this.#warning = NO_COMMON_CODEC
      return this.fail(
        isOfferRefused ? NOT_ACCEPTABLE_HERE : SERVICE_UNAVAILABLE,
        'no channel on the media server',
      )
    }
  }

  protected override answerFrom({ localSdp }: MediaEndpoint): string {
    if (this.peer) return answerTo(this.peer, localSdp)
    return offerOf(localSdp, 'plain', this.#wish) ?? localSdp
  }

  /**
   * Sends a provisional response. When the caller requires a reliable one (RFC 3262 §3), drachtio adds that
   * itself: marking it here would crash drachtio when the final answer, or nothing, comes before the PRACK.
   * Such a caller gets one ring and no early media: §3 forbids a 2xx before the PRACK of an SDP, and drachtio
   * does not deliver that PRACK to us.
   */
  protected override sendProvisional(ringing: Ringing): Promise<void> {
    const isReliable = requires(this.#req, RELIABLE)
    if (isReliable && this.#isRinging) return Promise.resolve()
    this.#isRinging = true
    const { status, reason, sdp } = isReliable ? RINGING : ringing
    const options = {
      headers: provisionalContact(this.#req),
      ...(sdp !== undefined && { body: sdp }),
    }
    return new Promise((resolve, reject) => {
      this.#res.send(status, options, (err, sent) => {
        if (err !== undefined && err !== null) {
          reject(new AdapterError('a provisional response could not be sent', { cause: err }))
          return
        }
        const rseq = sent?.get('RSeq')
        if (rseq !== undefined) this.#rack = `${rseq} ${this.#req.get('CSeq') ?? ''}`
        this.sip(responseStep('sent', { status, reason }))
        resolve()
      })
      void this.whenOver().then(() => {
        reject(new LegEndedError('the leg is over'))
      })
    })
  }

  protected override sendAnswer(endpoint: MediaEndpoint, localSdp: string): Promise<void> {
    const options = { localSdp, headers: { ...CALL_CAPABILITIES, ...answerContact(this.#req) } }
    return new Promise((resolve, reject) => {
      this.deps.signaling.srf.createUAS(this.#req, this.#res, options, (err, dialog) => {
        // Messages right after our 200 must find the listeners: nothing is awaited before they are added.
        if (dialog !== undefined) resolve(this.#accepted(dialog, endpoint, localSdp))
        else reject(new AdapterError('the 200 could not be sent', { cause: err }))
      })
    })
  }

  async #accepted(dialog: Dialog, endpoint: MediaEndpoint, localSdp: string): Promise<void> {
    const { signaling, codecs: spoken, limits, log } = this.deps
    takePracks(dialog, this.#rack)
    this.#isAccepted = true
    this.sip(sipStep('sent', '200 OK', this.#req))
    if (this.machineState === 'ended') {
      await endDialog(signaling, dialog, limits.byeMs, log)
      return
    }
    const remoteSdp = this.#req.body ?? ''
    dialog.once('ack', (ack: SrfRequest) => {
      void this.#acknowledged(endpoint, ack)
    })
    this.dispatch({ type: 'sent' })
    this.#timers.arm('ack', limits.ackMs, () => {
      this.dispatch({ type: 'ack-limit' })
    })
    const security = this.peer?.security ?? 'plain'
    this.adopt(dialog, { endpoint, remoteSdp, localSdp, security, codecs: this.#wish, spoken })
  }

  protected override refuse(status: number, reason: string | undefined): void {
    this.sip(responseStep('sent', { status, reason: reason ?? '' }))
    const headers = this.#warning === undefined ? {} : { Warning: this.#warning }
    try {
      if (reason === undefined) this.#res.send(status, { headers })
      else this.#res.send(status, reason, { headers })
    } catch (err) {
      this.deps.log.warn({ err, status }, 'could not send a final response')
    }
  }

  protected override finish(end: LegEnd): Promise<void> {
    this.#timers.clearAll()
    this.#req.removeAllListeners('cancel')
    return super.finish(end)
  }

  /**
   * Handles the ACK. When the INVITE had no offer, the ACK carries the answer to ours (RFC 3261 §13.2.2.4).
   */
  async #acknowledged(endpoint: MediaEndpoint, ack: SrfRequest): Promise<void> {
    this.sip(sipStep('received', 'ACK', ack))
    this.#timers.clear('ack')
    if (!this.peer) {
      const peer = ack.body ? audioOf(ack.body, 'plain') : undefined
      try {
        if (!peer) throw new AdapterError('no usable audio in the ACK')
        await endpoint.takeAnswer(peerAudio(peer, ack))
      } catch (err) {
        this.deps.log.warn({ err }, 'the media server did not accept the SDP answer in an ACK')
        this.dispatch({ type: 'failed', status: 0, reason: 'the answer could not be followed' })
        // A BYE that waited for the ACK is sent now.
      }
    }
    this.dispatch({ type: 'ack' })
  }
}
