import {
  INBOUND_LEG_STATES,
  type InboundEffect,
  type InboundEvent,
  type InboundState,
  stepInbound,
} from '../legs/inbound-machine.js'
import { type LegDeps, tell } from '../legs/leg-deps.js'
import { responseStep, sipStep } from '../legs/sip-step.js'
import { type Leg, LegEndedError, type LegEvents } from '../port.js'
import { answerTo, audioOf, type PeerSdp } from '../sdp.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import { sipText } from '../signaling/sip-text.js'
import type { CalledSide, InsideCall } from './inside-call.js'
import { InsideLeg } from './inside-leg.js'

const NOT_ACCEPTABLE_HERE = 488
const SERVICE_UNAVAILABLE = 503

/** The leg of a number of this server that is called from inside. */
export class CalledLeg extends InsideLeg implements CalledSide {
  override readonly direction = 'inbound'
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders']
  readonly #call: InsideCall
  readonly #peer: PeerSdp | undefined
  #now: InboundState = { state: 'offered' }
  #answering: Promise<void> | undefined

  constructor(call: InsideCall, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    const { dial, sdp } = call.offer
    this.#call = call
    this.#peer = audioOf(sdp, 'plain')
    this.sipCallId = dial.callId
    this.remoteHeaders = applicationHeaders(dial)
    // The application has received the leg by the next microtask.
    queueMicrotask(() => {
      this.sip(sipStep('received', 'INVITE'))
    })
    call.take(this)
  }

  override get state(): Leg['state'] {
    return INBOUND_LEG_STATES[this.#now.state]
  }

  /** Rings, and makes the endpoint at once so that the answer is quicker. */
  override async ring(options: { readonly withMedia?: boolean } = {}): Promise<void> {
    this.requireUnanswered()
    this.#dispatch({ type: 'ring' })
    if (options.withMedia === true) {
      const sdp = await this.#prepare()
      this.requireUnanswered()
      this.#respond(183, 'Session Progress', sdp)
      return
    }
    // A failure ends the leg, and the leg's end reports it.
    this.#prepare().catch(() => undefined)
    this.#respond(180, 'Ringing')
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

  onCancel(): void {
    this.sip(sipStep('received', 'CANCEL'))
    this.#dispatch({ type: 'cancel' })
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

  #dispatch(event: InboundEvent): void {
    const step = stepInbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  #perform(effect: InboundEffect): void {
    switch (effect.type) {
      case 'refuse':
        this.#refuse(effect.status, effect.reason ?? '')
        return
      case 'bye':
        this.sip(sipStep('sent', 'BYE'))
        this.#call.hangUp('called')
        void this.sayBye().then(() => {
          this.#dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        tell(this.deps.log, this.events.onAnswered?.bind(this.events))
        return
      case 'finish':
        if (this.#now.state === 'ended') void this.finish(this.#now.end)
    }
  }

  /** Makes the endpoint for the offer; resolves with its answer. When that fails, the leg is refused. */
  async #prepare(): Promise<string> {
    const peer = this.#peer
    if (peer === undefined) return this.#fail(NOT_ACCEPTABLE_HERE, 'no usable audio in the offer')
    try {
      const audio = { sdp: peer.audio, from: '', security: 'plain' } as const
      const endpoint = await this.endpoint(audio, this.#call.offer.media)
      return answerTo(peer, endpoint.innerSdp)
    } catch (err) {
      this.deps.log.warn({ err }, 'no media endpoint for a leg that is called from inside')
      return this.#fail(SERVICE_UNAVAILABLE, 'no channel on the media server')
    }
  }

  #fail(status: number, reason: string): never {
    this.#dispatch({ type: 'failed', status, reason })
    throw new LegEndedError(reason)
  }

  async #answer(): Promise<void> {
    this.requireUnanswered()
    this.#dispatch({ type: 'answer' })
    const sdp = await this.#prepare()
    if (this.#now.state !== 'answering') throw new LegEndedError('the leg is over')
    this.#dispatch({ type: 'send' })
    this.#dispatch({ type: 'sent' })
    this.sip(sipStep('sent', '200 OK'))
    this.#call.accept(sdp)
    this.sip(sipStep('received', 'ACK'))
    this.#dispatch({ type: 'ack' })
    if (this.state !== 'answered') throw new LegEndedError('the leg is over')
  }

  #respond(status: number, reason: string, sdp?: string): void {
    this.sip(responseStep('sent', { status, reason }))
    this.#call.ring({ status, reason, sdp })
  }

  #refuse(status: number, reason: string): void {
    this.sip(responseStep('sent', { status, reason }))
    this.#call.refuse({ status, reason })
  }
}
