import { AdapterError } from '../../../platform/errors.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { type Leg, LegEndedError } from '../port.js'
import type { PeerSdp } from '../sdp.js'
import { sipText } from '../signaling/sip-text.js'
import { BaseLeg } from './base-leg.js'
import {
  INBOUND_LEG_STATES,
  type InboundEffect,
  type InboundEvent,
  type InboundState,
  stepInbound,
} from './inbound-machine.js'
import { tell } from './leg-deps.js'

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
 * Drives one leg that was dialled to us: performs what its machine decides. How the responses and the
 * BYE reach the caller is the subclass's part.
 */
export abstract class IncomingLeg extends BaseLeg {
  override readonly direction = 'inbound'
  #now: InboundState = { state: 'offered' }
  #answering: Promise<void> | undefined
  #onAnswered: (() => void) | undefined

  override get state(): Leg['state'] {
    return INBOUND_LEG_STATES[this.#now.state]
  }

  /** The state of the machine, which tells more than the port shows. */
  protected get machineState(): InboundState['state'] {
    return this.#now.state
  }

  /** The audio of the caller's offer; undefined where there is none that can be used. */
  protected abstract readonly peer: PeerSdp | undefined
  /** Makes the endpoint for the caller's offer. When that fails, the leg is refused. */
  protected abstract prepare(): Promise<MediaEndpoint>
  /** The SDP that the caller gets. */
  protected abstract answerFrom(endpoint: MediaEndpoint): string
  protected abstract sendProvisional(ringing: Ringing): Promise<void>
  /** Sends the 200, and tells the machine when it has left and when it is acknowledged. */
  protected abstract sendAnswer(endpoint: MediaEndpoint, localSdp: string): Promise<void>
  protected abstract refuse(status: number, reason: string | undefined): void

  /** Rings, and makes the endpoint at once so that the answer is quicker. */
  override async ring(options: { readonly withMedia?: boolean } = {}): Promise<void> {
    this.#requireUnanswered()
    this.dispatch({ type: 'ring' })
    // A 183 can carry an answer but no offer (RFC 3261 §13.2.1).
    if (options.withMedia === true && this.peer) {
      const endpoint = await this.prepare()
      this.#requireUnanswered()
      const sdp = this.answerFrom(endpoint)
      await this.sendProvisional({ status: 183, reason: 'Session Progress', sdp })
      return
    }
    // A failure ends the leg, and the leg's end reports it.
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

  protected dispatch(event: InboundEvent): void {
    const step = stepInbound(this.#now, event)
    this.#now = step.state
    for (const effect of step.effects) this.#perform(effect)
  }

  protected fail(status: number, reason: string): never {
    this.dispatch({ type: 'failed', status, reason })
    throw new LegEndedError(reason)
  }

  #perform(effect: InboundEffect): void {
    switch (effect.type) {
      case 'refuse':
        this.refuse(effect.status, effect.reason)
        return
      case 'bye':
        void this.sayBye().then(() => {
          this.dispatch({ type: 'dialog-over' })
        })
        return
      case 'report-answered':
        this.#onAnswered?.()
        tell(this.deps.log, this.events.onAnswered?.bind(this.events))
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
      this.deps.log.debug({ err }, '200 not sent')
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
