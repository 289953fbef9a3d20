import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import {
  IncomingLeg,
  NOT_ACCEPTABLE_HERE,
  type Ringing,
  SERVICE_UNAVAILABLE,
} from '../legs/incoming-leg.js'
import type { LegDeps } from '../legs/leg-deps.js'
import { responseStep, sipStep } from '../legs/sip-step.js'
import type { Leg, LegEvents, ReferralOutcome } from '../port.js'
import { answerTo, audioOf, type PeerSdp } from '../sdp.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import type { CalledSide, InsideCall } from './inside-call.js'
import { declineReferral } from './inside-call.js'

/** The leg of a number of this server that is called from inside. */
export class CalledLeg extends IncomingLeg implements CalledSide {
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders']
  protected override readonly peer: PeerSdp | undefined
  readonly #call: InsideCall

  constructor(call: InsideCall, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    const { dial, sdp } = call.offer
    this.#call = call
    this.peer = audioOf(sdp, 'plain', 'g711-first')
    this.sipCallId = dial.callId
    this.remoteHeaders = applicationHeaders(dial)
    // The application has received the leg by the next microtask.
    queueMicrotask(() => {
      this.sip(sipStep('received', 'INVITE'))
    })
    call.take(this)
  }

  override refer(): Promise<ReferralOutcome> {
    return declineReferral(this.state)
  }

  onCancel(): void {
    this.sip(sipStep('received', 'CANCEL'))
    this.dispatch({ type: 'cancel' })
  }

  override onBye(): void {
    this.sip(sipStep('received', 'BYE'))
    this.dispatch({ type: 'bye' })
  }

  protected override async prepare(): Promise<MediaEndpoint> {
    const { peer } = this
    if (peer === undefined) return this.fail(NOT_ACCEPTABLE_HERE, 'no usable audio in the offer')
    try {
      const audio = { sdp: peer.audio, from: '', security: 'plain' } as const
      return await this.endpoint(audio, this.#call.offer.media)
    } catch (err) {
      this.deps.log.warn({ err }, 'no media endpoint for a leg that is called from inside')
      return this.fail(SERVICE_UNAVAILABLE, 'no channel on the media server')
    }
  }

  protected override answerFrom({ innerSdp }: MediaEndpoint): string {
    return this.peer ? answerTo(this.peer, innerSdp) : innerSdp
  }

  protected override sendProvisional({ status, reason, sdp }: Ringing): Promise<void> {
    this.sip(responseStep('sent', { status, reason }))
    this.#call.ring({ status, reason, sdp })
    return Promise.resolve()
  }

  protected override sendAnswer(_endpoint: MediaEndpoint, localSdp: string): Promise<void> {
    this.dispatch({ type: 'sent' })
    this.sip(sipStep('sent', '200 OK'))
    this.#call.accept(localSdp)
    this.sip(sipStep('received', 'ACK'))
    this.dispatch({ type: 'ack' })
    return Promise.resolve()
  }

  protected override refuse(status: number, reason: string | undefined): void {
    this.sip(responseStep('sent', { status, reason: reason ?? '' }))
    this.#call.refuse({ status, reason: reason ?? '' })
  }

  protected override sayBye(): Promise<void> {
    this.sip(sipStep('sent', 'BYE'))
    this.#call.hangUp('called')
    return super.sayBye()
  }
}
