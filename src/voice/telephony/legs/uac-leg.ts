import type { Dialog, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { InviteFacts } from '../dialog-facts.js'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { type OwnOffer, type PeerAudio, peerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, type LegEnd, LegEndedError, type LegEvents, type SipPlace } from '../port.js'
import { audioOf, isSameSdp, offerOf } from '../sdp.js'
import type { CheckedDial } from '../signaling/dial-headers.js'
import { inviteFactsOf } from '../signaling/dialog-facts-of.js'
import { endDialog } from '../signaling/end-dialog.js'
import { applicationHeaders, secondsOf } from '../signaling/headers.js'
import { OutgoingInvite } from '../signaling/outgoing-invite.js'
import { BaseLeg } from './base-leg.js'
import { type LegDeps, notify } from './leg-deps.js'
import { CLEAR_KEYS, NO_TLS, SIPS_IN_CLEAR } from './leg-end.js'
import { placeOfUri, responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'
import {
  stepUac,
  UAC_LEG_STATES,
  type UacEffect,
  type UacEvent,
  type UacState,
} from './uac-machine.js'

/** A provisional response in the form of the event log. */
type Provisional = Parameters<typeof responseStep>[1]

/** The SDP answer of a provisional or final response. */
export interface SdpAnswer {
  readonly sdp: string
  /** Undefined when the SDP has no usable audio. */
  readonly audio: PeerAudio | undefined
}

/**
 * An outbound leg: the user agent client of its dialog (RFC 3261 §6). It performs the effects of its machine
 * and dispatches events to it. A subclass sends the INVITE, the CANCEL and the BYE.
 */
export abstract class UacLeg extends BaseLeg {
  override readonly direction = 'outbound'
  override readonly sipCallId: string
  protected readonly dial: CheckedDial
  readonly #timers = new Timers<'ring' | 'progress' | 'cancel'>()
  #now: UacState = { state: 'preparing' }
  #offer = ''
  /**
   * The SDP answer that the endpoint was last given, and a promise that resolves when it has been applied.
   */
  #joined: { readonly sdp: string; readonly done: Promise<unknown> } | undefined

  constructor(dial: CheckedDial, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    this.dial = dial
    this.sipCallId = dial.callId
    void this.#prepare()
  }

  override get state(): Leg['state'] {
    return UAC_LEG_STATES[this.#now.state]
  }

  /** True once the machine has ended: later messages have no effect. */
  protected get hasEnded(): boolean {
    return this.#now.state === 'ended'
  }

  /** The SDP of our offer; empty before there is one. */
  protected get localSdp(): string {
    return this.#offer
  }

  /** The peer's SDP answer that was last applied. */
  protected get joinedSdp(): string | undefined {
    return this.#joined?.sdp
  }

  /** The offer that the media server must make for this leg. */
  protected abstract get ownOffer(): OwnOffer
  /** Returns why the INVITE must not be sent; undefined when it may. */
  protected abstract bar(): LegEnd | undefined
  /** Returns the offer for the peer. Throws AdapterError when the endpoint has no suitable one. */
  protected abstract offerFrom(endpoint: MediaEndpoint): string
  protected abstract invite(): void
  /** Cancels the INVITE. */
  protected abstract cancel(): void
  /** Stores the dialog that the 200 created, and returns its SDP answer. */
  protected abstract adoptAnswer(endpoint: MediaEndpoint): SdpAnswer

  override hangup(): Promise<void> {
    this.dispatch({ type: 'hangup' })
    return this.whenOver()
  }

  protected override onSignalingLost(): void {
    this.dispatch({ type: 'signaling-lost' })
  }

  protected override onMediaLost(): void {
    this.dispatch({ type: 'media-lost' })
  }

  protected dispatch(event: UacEvent): void {
    const step = stepUac(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  /** Handles a provisional response; its audio is connected as early media (RFC 3960). */
  protected provisional(response: Provisional, early: SdpAnswer | undefined): void {
    this.sip(responseStep('received', response))
    this.dispatch({ type: 'provisional' })
    if (this.#now.state !== 'ringing') return
    const audio = early?.audio
    if (early !== undefined && audio !== undefined)
      // When the INVITE has forked, the newest fork is audible.
      this.#join(early.sdp, audio).catch((err: unknown) => {
        this.deps.log.debug({ err }, 'could not connect early media')
      })
    const { status } = response
    notify(this.deps.log, () =>
      this.events.onProgress?.({ status, hasEarlyMedia: audio !== undefined }),
    )
  }

  #perform({ type }: UacEffect): void {
    switch (type) {
      case 'invite':
        this.#timers.arm('ring', this.dial.timeoutMs, () => {
          this.dispatch({ type: 'ring-limit' })
        })
        this.#limitProgress()
        this.invite()
        return
      case 'abandon':
        this.cancel()
        return
      case 'cancel':
        this.#timers.clear('ring')
        this.#timers.arm('cancel', this.deps.limits.cancelMs, () => {
          this.dispatch({ type: 'cancel-limit' })
        })
        this.sip(sipStep('sent', 'CANCEL'))
        this.cancel()
        return
      case 'join-media':
        this.#timers.clear('ring')
        void this.#joinAnswer()
        return
      case 'bye':
        void this.sendBye().then(() => {
          this.dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        notify(this.deps.log, this.events.onAnswered?.bind(this.events))
        return
      case 'finish':
        this.#timers.clearAll()
        if (this.#now.state === 'ended') void this.finish(this.#now.end)
    }
  }

  async #prepare(): Promise<void> {
    // The caller has received the leg by the next microtask.
    await Promise.resolve()
    if (this.#now.state !== 'preparing') return
    const end = this.bar()
    if (end !== undefined) {
      this.dispatch({ type: 'barred', end })
      return
    }
    try {
      const endpoint = await this.endpoint(this.ownOffer, this.dial.beside)
      for (const [name, value] of this.dial.variables)
        await endpoint.api(setVariableCommand(endpoint.uuid, name, value))
      this.#offer = this.offerFrom(endpoint)
      this.dispatch({ type: 'media-ready' })
    } catch (err) {
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'could not create the media endpoint of an outbound leg')
      this.dispatch({ type: 'media-failed', reason: 'no channel on the media server' })
    }
  }

  #limitProgress(): void {
    const { progressTimeoutMs } = this.dial
    if (progressTimeoutMs === undefined) return
    this.#timers.arm('progress', progressTimeoutMs, () => {
      this.dispatch({ type: 'progress-limit' })
    })
  }

  async #joinAnswer(): Promise<void> {
    try {
      const { sdp, audio } = this.adoptAnswer(await this.endpoint(this.ownOffer))
      if (audio === undefined) {
        this.dispatch({ type: 'media-failed', reason: 'no usable audio in the answer' })
        return
      }
      await this.#join(sdp, audio)
    } catch (err) {
      // The leg was hung up meanwhile and is ending.
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'the media server did not accept the SDP answer')
      this.dispatch({ type: 'media-failed', reason: 'the media server refused the answer' })
      return
    }
    this.dispatch({ type: 'media-joined' })
  }

  async #join(sdp: string, audio: PeerAudio): Promise<void> {
    if (this.#joined === undefined || !isSameSdp(this.#joined.sdp, sdp)) {
      const endpoint = await this.endpoint(this.ownOffer)
      this.#joined = { sdp, done: endpoint.takeAnswer(audio) }
    }
    await this.#joined.done
  }
}

/** An outbound leg over SIP. */
export class SipUacLeg extends UacLeg {
  #invite: OutgoingInvite | undefined
  /** Our INVITE until its final response. */
  #open: InviteFacts | undefined
  #remoteHeaders: Leg['remoteHeaders'] = []
  /** False while drachtio has not accepted our INVITE. */
  #isSent = false

  override get openInvites(): Leg['openInvites'] {
    if (this.#open === undefined) return []
    return this.hasEnded && this.deps.signaling.isOpen ? [] : [this.#open]
  }

  override get remoteHeaders(): Leg['remoteHeaders'] {
    return this.#remoteHeaders
  }

  protected override get hop(): SipPlace | undefined {
    return placeOfUri(this.dial.proxy ?? this.dial.uri)
  }

  protected override get ownUri(): string {
    return this.dial.uri
  }

  protected override get ownOffer(): OwnOffer {
    const { security, hopAddress } = this.dial
    return { offer: security, party: hopAddress }
  }

  protected override onBye(): void {
    this.dispatch({ type: 'bye' })
  }

  protected override bar(): LegEnd | undefined {
    const { isHopSecure, security, uri } = this.dial
    const { hasTls, isOpen } = this.deps.signaling
    if (!isOpen) return undefined
    if (isHopSecure) return hasTls ? undefined : NO_TLS
    if (/^sips:/i.test(uri)) return SIPS_IN_CLEAR
    return security === 'secure' && hasTls ? CLEAR_KEYS : undefined
  }

  protected override offerFrom(endpoint: MediaEndpoint): string {
    const { security, codecs } = this.dial
    const offer = offerOf(endpoint.localSdp, security, codecs)
    if (offer === undefined) throw new AdapterError(`the media server offered no ${security} audio`)
    return offer
  }

  protected override invite(): void {
    const { signaling, log } = this.deps
    this.#invite = new OutgoingInvite(
      signaling,
      this.dial,
      this.localSdp,
      {
        onSent: (request) => {
          this.#isSent = true
          this.#open = inviteFactsOf(request, 'us', signaling.name)
          notify(log, () => this.events.onInvited?.())
          this.sip(sipStep('sent', 'INVITE', request))
        },
        onProvisional: (response) => {
          this.provisional(response, this.#earlyAudio(response))
        },
        onAccepted: (dialog) => {
          this.#accepted(dialog)
        },
        onRefused: (response) => {
          this.#refused(response)
        },
        onFailed: (err) => {
          log.warn({ err }, 'INVITE failed')
          if (!this.#isSent)
            this.sip({ ...sipStep('received', '503 Service Unavailable'), madeBy: 'own-stack' })
          this.dispatch({ type: 'unsendable' })
        },
      },
      log,
    )
  }

  protected override cancel(): void {
    this.#invite?.cancel()
  }

  protected override adoptAnswer(endpoint: MediaEndpoint): SdpAnswer {
    const { dialog, localSdp } = this
    if (dialog === undefined) throw new LegEndedError('the leg is over')
    // The answer may have come only in a reliable 183 (RFC 3261 §13.2.1).
    const remoteSdp = dialog.remote.sdp || (this.joinedSdp ?? '')
    const { security, codecs } = this.dial
    const { codecs: spoken } = this.deps
    this.adopt(dialog, { endpoint, remoteSdp, localSdp, security, codecs, spoken })
    return this.#audioIn(remoteSdp, dialog.res)
  }

  #earlyAudio(response: SrfResponse): SdpAnswer | undefined {
    return response.body ? this.#audioIn(response.body, response) : undefined
  }

  /** Returns the audio of the peer's SDP. A plain RTP answer to an SRTP offer is not accepted. */
  #audioIn(sdp: string, message: { readonly source_address: string }): SdpAnswer {
    const peer = audioOf(sdp, this.dial.security)
    return { sdp, audio: peer && peerAudio(peer, message) }
  }

  #accepted(dialog: Dialog): void {
    this.#open = undefined
    this.sip(sipStep('received', '200 OK', dialog.res))
    const { uri } = dialog.remote
    this.sip(sipStep('sent', 'ACK', { uri, get: (name) => dialog.res.get(name) }))
    if (this.hasEnded) {
      // The 200 came after the leg's end: without a BYE the peer would stay in the dialog.
      void endDialog(this.deps.signaling, dialog, this.deps.limits.byeMs, this.deps.log)
      return
    }
    this.dialog = dialog
    this.#remoteHeaders = applicationHeaders(dialog.res)
    this.dispatch({ type: 'accepted' })
  }

  #refused(response: SrfResponse): void {
    this.#open = undefined
    this.sip(responseStep('received', response))
    this.#remoteHeaders = applicationHeaders(response)
    const { status, reason } = response
    const isFromPeer = response.source_address !== ''
    const retryAfterSeconds = secondsOf(response.get('Retry-After'))
    // A 503 from our own stack means that the transport failed (RFC 3261 §8.1.3.1).
    const hasFailed = this.dial.isHopSecure && !isFromPeer && status === 503
    const obstacle = hasFailed ? 'no-tls' : undefined
    this.dispatch({
      type: 'refused',
      response: { status, reason, isFromPeer, retryAfterSeconds, obstacle },
    })
  }
}
