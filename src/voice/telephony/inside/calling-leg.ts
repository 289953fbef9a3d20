import { AdapterError } from '../../../platform/errors.js'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import { type LegDeps, tell } from '../legs/leg-deps.js'
import {
  OUTBOUND_LEG_STATES,
  type OutboundEffect,
  type OutboundEvent,
  type OutboundState,
  stepOutbound,
} from '../legs/outbound-machine.js'
import { responseStep, sipStep } from '../legs/sip-step.js'
import { Timers } from '../legs/timers.js'
import { type Leg, LegEndedError, type LegEvents } from '../port.js'
import { audioOf, isSameSdp, offerOf } from '../sdp.js'
import type { CheckedDial } from '../signaling/dial-headers.js'
import { secondsOf } from '../signaling/seconds-header.js'
import { type CallingSide, InsideCall, type InsideResponse } from './inside-call.js'
import { InsideLeg } from './inside-leg.js'

/** An offer of plain audio to another channel of ours, which is on no network that parties are on. */
const OWN_OFFER = { offer: 'plain', party: undefined } as const

/** The leg that calls a number of this server. `place` hands the call to the handler of new calls. */
export class CallingLeg extends InsideLeg implements CallingSide {
  override readonly direction = 'outbound'
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders'] = []
  readonly #dial: CheckedDial
  readonly #place: (call: InsideCall) => void
  readonly #timers = new Timers<'ring'>()
  #now: OutboundState = { state: 'preparing' }
  #offer = ''
  #call: InsideCall | undefined
  /** The SDP of the other side that the endpoint was given last, and a promise of its effect. */
  #joined: { readonly sdp: string; readonly done: Promise<unknown> } | undefined

  constructor(
    dial: CheckedDial,
    place: (call: InsideCall) => void,
    events: LegEvents,
    deps: LegDeps,
  ) {
    super(events, deps)
    this.#dial = dial
    this.#place = place
    this.sipCallId = dial.callId
    void this.#prepare()
  }

  override get state(): Leg['state'] {
    return OUTBOUND_LEG_STATES[this.#now.state]
  }

  override hangup(): Promise<void> {
    this.#dispatch({ type: 'hangup' })
    return this.whenOver()
  }

  onProvisional(response: InsideResponse): void {
    this.sip(responseStep('received', response))
    this.#dispatch({ type: 'provisional' })
    if (this.#now.state !== 'ringing') return
    const { sdp, status } = response
    if (sdp !== undefined)
      this.#join(sdp).catch((err: unknown) => {
        this.deps.log.debug({ err }, 'early media not joined')
      })
    tell(this.deps.log, () =>
      this.events.onProgress?.({ status, hasEarlyMedia: sdp !== undefined }),
    )
  }

  onAccepted(sdp: string): void {
    this.sip(sipStep('received', '200 OK'))
    this.sip(sipStep('sent', 'ACK'))
    this.#dispatch({ type: 'accepted' })
    if (this.#now.state === 'joining') void this.#joinAnswer(sdp)
    else this.#call?.hangUp('calling')
  }

  onRefused(response: InsideResponse): void {
    const { headers = {}, reason, status } = response
    const header = (name: string): string | undefined => {
      const value = headers[name]
      return typeof value === 'string' ? value : value?.[0]
    }
    this.sip(responseStep('received', { status, reason, get: header }))
    const retryAfterSeconds = secondsOf(header('Retry-After'))
    this.#dispatch({
      type: 'refused',
      response: { status, reason, isFromPeer: true, retryAfterSeconds },
    })
  }

  override onBye(): void {
    this.sip(sipStep('received', 'BYE'))
    this.#dispatch({ type: 'bye' })
  }

  protected override onSignalingLost(): void {
    this.#dispatch({ type: 'signaling-lost' })
  }

  protected override onMediaLost(): void {
    this.#dispatch({ type: 'media-lost' })
  }

  #dispatch(event: OutboundEvent): void {
    const step = stepOutbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  #perform({ type }: OutboundEffect): void {
    switch (type) {
      case 'invite':
        this.#timers.arm('ring', this.#dial.timeoutMs, () => {
          this.#dispatch({ type: 'ring-limit' })
        })
        this.#invite()
        return
      case 'cancel':
      case 'abandon':
        this.sip(sipStep('sent', 'CANCEL'))
        this.#call?.cancel()
        return
      case 'join-media':
        this.#timers.clear('ring')
        return
      case 'bye':
        this.sip(sipStep('sent', 'BYE'))
        this.#call?.hangUp('calling')
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
    try {
      const endpoint = await this.endpoint(OWN_OFFER, this.#dial.beside)
      for (const [name, value] of this.#dial.variables)
        await endpoint.api(setVariableCommand(endpoint.uuid, name, value))
      const offer = offerOf(endpoint.innerSdp, 'plain')
      if (offer === undefined) throw new AdapterError('the media server offered no plain audio')
      this.#offer = offer
      this.#dispatch({ type: 'media-ready' })
    } catch (err) {
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'no media endpoint for a leg that calls inside')
      this.#dispatch({ type: 'media-failed', reason: 'no channel on the media server' })
    }
  }

  #invite(): void {
    const call = new InsideCall({ dial: this.#dial, sdp: this.#offer, media: this.media }, this)
    this.#call = call
    tell(this.deps.log, () => this.events.onInvited?.())
    this.sip(sipStep('sent', 'INVITE'))
    this.#place(call)
  }

  async #joinAnswer(sdp: string): Promise<void> {
    try {
      await this.#join(sdp)
    } catch (err) {
      // The leg was hung up meanwhile, and its end is under way.
      if (!(err instanceof LegEndedError))
        this.deps.log.warn({ err }, 'the media server did not take the SDP answer')
      this.#dispatch({ type: 'media-failed', reason: 'the media server refused the answer' })
      return
    }
    this.#dispatch({ type: 'media-joined' })
  }

  async #join(sdp: string): Promise<void> {
    const answer = audioOf(sdp, 'plain')
    if (answer === undefined)
      throw new AdapterError('the media server answered without plain audio')
    if (this.#joined === undefined || !isSameSdp(this.#joined.sdp, sdp)) {
      const endpoint = await this.endpoint(OWN_OFFER)
      const done = endpoint.takeAnswer({ sdp: answer.audio, from: '', security: 'plain' })
      this.#joined = { sdp, done }
    }
    await this.#joined.done
  }
}
