import type { Dialog, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { InviteFacts } from '../dialog-facts.js'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { type OwnOffer, type PeerAudio, peerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, type LegEnd, LegEndedError, type LegEvents } from '../port.js'
import { audioOf, isSameSdp, offerOf } from '../sdp.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import type { CheckedDial } from '../signaling/dial-headers.js'
import { inviteFactsOf } from '../signaling/dialog-facts-of.js'
import { endDialog } from '../signaling/end-dialog.js'
import { OutgoingInvite } from '../signaling/outgoing-invite.js'
import { secondsOf } from '../signaling/seconds-header.js'
import { BaseLeg } from './base-leg.js'
import { type LegDeps, tell } from './leg-deps.js'
import { CLEAR_KEYS, NO_TLS, SIPS_IN_CLEAR } from './leg-end.js'
import {
  OUTBOUND_LEG_STATES,
  type OutboundEffect,
  type OutboundEvent,
  type OutboundState,
  stepOutbound,
} from './outbound-machine.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'

/** The peer's SDP that the endpoint was given last, and a promise of its effect. */
interface Joined {
  readonly remoteSdp: string
  readonly done: Promise<unknown>
}

/** Drives one dialled leg: performs what its machine decides, and tells it what happened. */
export class OutboundLeg extends BaseLeg {
  override readonly direction = 'outbound'
  override readonly sipCallId: string
  readonly #dial: CheckedDial
  readonly #timers = new Timers<'ring' | 'progress' | 'cancel'>()
  #now: OutboundState = { state: 'preparing' }
  #localSdp = ''
  #invite: OutgoingInvite | undefined
  #joined: Joined | undefined
  /** Our INVITE until its final response. */
  #open: InviteFacts | undefined
  #remoteHeaders: Leg['remoteHeaders'] = []

  constructor(dial: CheckedDial, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    this.#dial = dial
    this.sipCallId = dial.callId
    void this.#prepare()
  }

  override get state(): Leg['state'] {
    return OUTBOUND_LEG_STATES[this.#now.state]
  }

  override get openInvites(): Leg['openInvites'] {
    if (this.#open === undefined) return []
    return this.#now.state === 'ended' && this.deps.signaling.isOpen ? [] : [this.#open]
  }

  override get remoteHeaders(): Leg['remoteHeaders'] {
    return this.#remoteHeaders
  }

  override hangup(): Promise<void> {
    this.#dispatch({ type: 'hangup' })
    return this.whenOver()
  }

  protected override onSignalingLost(): void {
    this.#dispatch({ type: 'signaling-lost' })
  }

  protected override onMediaLost(): void {
    this.#dispatch({ type: 'media-lost' })
  }

  protected override onBye(): void {
    this.#dispatch({ type: 'bye' })
  }

  #dispatch(event: OutboundEvent): void {
    const step = stepOutbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  #perform(effect: OutboundEffect): void {
    switch (effect.type) {
      case 'invite':
        this.#timers.arm('ring', this.#dial.timeoutMs, () => {
          this.#dispatch({ type: 'ring-limit' })
        })
        this.#limitProgress()
        this.#invite = this.#sendInvite()
        return
      case 'abandon':
        this.#invite?.cancel()
        return
      case 'cancel':
        this.#timers.clear('ring')
        this.#timers.arm('cancel', this.deps.limits.cancelMs, () => {
          this.#dispatch({ type: 'cancel-limit' })
        })
        this.sip(sipStep('sent', 'CANCEL'))
        this.#invite?.cancel()
        return
      case 'join-media':
        this.#timers.clear('ring')
        void this.#joinAnswer()
        return
      case 'bye':
        void this.sayBye().then(() => {
          this.#dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        tell(this.deps.log, this.events.onAnswered?.bind(this.events))
        return
      case 'finish':
        this.#timers.clearAll()
        if (this.#now.state === 'ended') void this.finish(this.#now.end)
    }
  }

  async #prepare(): Promise<void> {
    // The application has received the leg by the next microtask.
    await Promise.resolve()
    if (this.#now.state !== 'preparing') return
    const bar = this.#bar()
    if (bar !== undefined) {
      this.#dispatch({ type: 'barred', end: bar })
      return
    }
    try {
      const { beside, security } = this.#dial
      const endpoint = await this.endpoint(this.#ownOffer, beside)
      for (const [name, value] of this.#dial.variables)
        await endpoint.api(setVariableCommand(endpoint.uuid, name, value))
      const offer = offerOf(endpoint.localSdp, security, this.#dial.codecs)
      if (offer === undefined)
        throw new AdapterError(`the media server offered no ${security} audio`)
      this.#localSdp = offer
      this.#dispatch({ type: 'media-ready' })
    } catch (err) {
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'no media endpoint for an outbound leg')
      this.#dispatch({ type: 'media-failed', reason: 'no channel on the media server' })
    }
  }

  #limitProgress(): void {
    const { progressTimeoutMs } = this.#dial
    if (progressTimeoutMs === undefined) return
    this.#timers.arm('progress', progressTimeoutMs, () => {
      this.#dispatch({ type: 'progress-limit' })
    })
  }

  /** Why this INVITE must not be sent; undefined when it may. */
  #bar(): LegEnd | undefined {
    const { isHopSecure, security, uri } = this.#dial
    const { hasTls, isOpen } = this.deps.signaling
    if (!isOpen) return undefined
    if (isHopSecure) return hasTls ? undefined : NO_TLS
    if (/^sips:/i.test(uri)) return SIPS_IN_CLEAR
    return security === 'secure' && hasTls ? CLEAR_KEYS : undefined
  }

  #sendInvite(): OutgoingInvite {
    const { signaling, log } = this.deps
    return new OutgoingInvite(
      signaling,
      this.#dial,
      this.#localSdp,
      {
        onSent: (request) => {
          this.#open = inviteFactsOf(request, 'us', signaling.name)
          tell(log, () => this.events.onInvited?.())
          this.sip(sipStep('sent', 'INVITE', request))
        },
        onProvisional: (response) => {
          this.#provisional(response)
        },
        onAccepted: (dialog) => {
          this.#accepted(dialog)
        },
        onRefused: (response) => {
          this.#open = undefined
          this.sip(responseStep('received', response))
          this.#remoteHeaders = applicationHeaders(response)
          const { status, reason } = response
          const isFromPeer = response.source_address !== ''
          const retryAfterSeconds = secondsOf(response.get('Retry-After'))
          // 503 in place of an answer: the transport has failed (RFC 3261 §8.1.3.1).
          const hasFailed = this.#dial.isHopSecure && !isFromPeer && status === 503
          const obstacle = hasFailed ? 'no-tls' : undefined
          this.#dispatch({
            type: 'refused',
            response: { status, reason, isFromPeer, retryAfterSeconds, obstacle },
          })
        },
        onFailed: (err) => {
          log.warn({ err }, 'INVITE failed')
          this.#dispatch({ type: 'unsendable' })
        },
      },
      log,
    )
  }

  #provisional(response: SrfResponse): void {
    this.sip(responseStep('received', response))
    this.#dispatch({ type: 'provisional' })
    if (this.#now.state !== 'ringing') return
    const hasEarlyMedia = Boolean(response.body) && this.#joinEarly(response)
    const { status } = response
    tell(this.deps.log, () => this.events.onProgress?.({ status, hasEarlyMedia }))
  }

  #accepted(dialog: Dialog): void {
    this.#open = undefined
    this.sip(sipStep('received', '200 OK', dialog.res))
    this.sip(sipStep('sent', 'ACK', dialog.res))
    if (this.#now.state === 'ended') {
      // The 200 came after the leg's end: a BYE keeps the peer from staying in the dialog alone.
      void endDialog(this.deps.signaling, dialog, this.deps.limits.byeMs, this.deps.log)
      return
    }
    this.dialog = dialog
    this.#remoteHeaders = applicationHeaders(dialog.res)
    this.#dispatch({ type: 'accepted' })
  }

  /** Joins early media (RFC 3960). When the INVITE has forked, the newest fork is heard. */
  #joinEarly(response: SrfResponse): boolean {
    const remoteSdp = response.body ?? ''
    const peer = audioOf(remoteSdp, this.#dial.security)
    if (!peer) return false
    this.#join(remoteSdp, peerAudio(peer, response)).catch((err: unknown) => {
      this.deps.log.debug({ err }, 'early media not joined')
    })
    return true
  }

  async #joinAnswer(): Promise<void> {
    const { dialog } = this
    if (!dialog) return
    // The answer may come in a reliable 183 and nowhere else (RFC 3261 §13.2.1).
    const remoteSdp = dialog.remote.sdp || (this.#joined?.remoteSdp ?? '')
    const { security } = this.#dial
    // An answer in the clear to a secure offer is no answer.
    const peer = audioOf(remoteSdp, security)
    try {
      const endpoint = await this.endpoint(this.#ownOffer)
      this.#adopt(dialog, endpoint, remoteSdp)
      if (peer) await this.#join(remoteSdp, peerAudio(peer, dialog.res))
    } catch (err) {
      // The leg was hung up meanwhile, and its end is under way.
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'the media server did not take the SDP answer')
      this.#dispatch({ type: 'media-failed', reason: 'the media server refused the answer' })
      return
    }
    if (peer) this.#dispatch({ type: 'media-joined' })
    else this.#dispatch({ type: 'media-failed', reason: 'no usable audio in the answer' })
  }

  get #ownOffer(): OwnOffer {
    const { security, hopAddress } = this.#dial
    return { offer: security, party: hopAddress }
  }

  #adopt(dialog: Dialog, endpoint: MediaEndpoint, remoteSdp: string): void {
    const { security } = this.#dial
    this.adopt(dialog, { endpoint, remoteSdp, localSdp: this.#localSdp, security })
  }

  async #join(remoteSdp: string, audio: PeerAudio): Promise<void> {
    if (!this.#joined || !isSameSdp(this.#joined.remoteSdp, remoteSdp)) {
      const endpoint = await this.endpoint(this.#ownOffer)
      this.#joined = { remoteSdp, done: endpoint.takeAnswer(audio) }
    }
    await this.#joined.done
  }
}
