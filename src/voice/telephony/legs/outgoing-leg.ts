import { setVariableCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { OwnOffer, PeerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, type LegEnd, LegEndedError, type LegEvents } from '../port.js'
import { isSameSdp } from '../sdp.js'
import type { CheckedDial } from '../signaling/dial-headers.js'
import { BaseLeg } from './base-leg.js'
import { type LegDeps, tell } from './leg-deps.js'
import {
  OUTBOUND_LEG_STATES,
  type OutboundEffect,
  type OutboundEvent,
  type OutboundState,
  stepOutbound,
} from './outbound-machine.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'

/** A provisional response, as an event log shows it. */
type Provisional = Parameters<typeof responseStep>[1]

/** What an answer, early or final, has brought. */
export interface BroughtAudio {
  readonly sdp: string
  /** Undefined when the SDP has no audio that can be used. */
  readonly audio: PeerAudio | undefined
}

/**
 * Drives one dialled leg: performs what its machine decides, and tells it what happened. How the
 * INVITE, the CANCEL and the BYE reach the other side is the subclass's part.
 */
export abstract class OutgoingLeg extends BaseLeg {
  override readonly direction = 'outbound'
  override readonly sipCallId: string
  protected readonly dial: CheckedDial
  readonly #timers = new Timers<'ring' | 'progress' | 'cancel'>()
  #now: OutboundState = { state: 'preparing' }
  #offer = ''
  /** The SDP that the endpoint was given last, and a promise of its effect. */
  #joined: { readonly sdp: string; readonly done: Promise<unknown> } | undefined

  constructor(dial: CheckedDial, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    this.dial = dial
    this.sipCallId = dial.callId
    void this.#prepare()
  }

  override get state(): Leg['state'] {
    return OUTBOUND_LEG_STATES[this.#now.state]
  }

  /** True once the machine is at its end: what comes later is for no leg. */
  protected get hasEnded(): boolean {
    return this.#now.state === 'ended'
  }

  /** The SDP of our offer; empty until there is one. */
  protected get localSdp(): string {
    return this.#offer
  }

  /** The SDP of the other side that was joined last. */
  protected get joinedSdp(): string | undefined {
    return this.#joined?.sdp
  }

  /** The offer that the media server makes for this leg. */
  protected abstract get ownOffer(): OwnOffer
  /** Why the INVITE must not be sent; undefined when it may. */
  protected abstract bar(): LegEnd | undefined
  /** The offer for the other side. Throws AdapterError when the endpoint has none that fits. */
  protected abstract offerFrom(endpoint: MediaEndpoint): string
  protected abstract invite(): void
  /** Withdraws the INVITE. */
  protected abstract cancel(): void
  /** Keeps the dialog that the 200 has made, and returns the audio that it has brought. */
  protected abstract adoptAnswer(endpoint: MediaEndpoint): BroughtAudio

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

  protected dispatch(event: OutboundEvent): void {
    const step = stepOutbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  /** Takes a provisional response; its audio is joined as early media (RFC 3960). */
  protected provisional(response: Provisional, early: BroughtAudio | undefined): void {
    this.sip(responseStep('received', response))
    this.dispatch({ type: 'provisional' })
    if (this.#now.state !== 'ringing') return
    const audio = early?.audio
    if (early !== undefined && audio !== undefined)
      // When the INVITE has forked, the newest fork is heard.
      this.#join(early.sdp, audio).catch((err: unknown) => {
        this.deps.log.debug({ err }, 'early media not joined')
      })
    const { status } = response
    tell(this.deps.log, () =>
      this.events.onProgress?.({ status, hasEarlyMedia: audio !== undefined }),
    )
  }

  #perform({ type }: OutboundEffect): void {
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
        void this.sayBye().then(() => {
          this.dispatch({ type: 'dialog-over' })
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
        this.deps.log.warn({ err }, 'no media endpoint for an outbound leg')
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
      // The leg was hung up meanwhile, and its end is under way.
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'the media server did not take the SDP answer')
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
