import { InvariantError } from '../../../platform/errors.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { LegDeps } from '../legs/leg-deps.js'
import { responseStep, sipStep } from '../legs/sip-step.js'
import { NOT_ACCEPTABLE_HERE, type Ringing, SERVICE_UNAVAILABLE, UasLeg } from '../legs/uas-leg.js'
import { offerInvite } from '../offer-invite.js'
import type {
  IncomingInvite,
  Leg,
  LegEvents,
  ReferralOutcome,
  ResponseHeaders,
  SipAddress,
} from '../port.js'
import { answerTo, audioOf, type PeerSdp } from '../sdp.js'
import { applicationHeaders } from '../signaling/headers.js'
import { sipText } from '../signaling/sip-text.js'
import { declineReferral, type LoopbackCall, type LoopbackUas } from './loopback-call.js'

/** The UAS leg of a loopback call, for a number of this server. */
export class LoopbackUasLeg extends UasLeg implements LoopbackUas {
  override readonly sipCallId: string
  override readonly remoteHeaders: Leg['remoteHeaders']
  protected override readonly peer: PeerSdp | undefined
  protected override readonly hop = undefined
  protected override readonly ownUri = undefined
  readonly #call: LoopbackCall

  constructor(call: LoopbackCall, events: LegEvents, deps: LegDeps) {
    super(events, deps)
    const { dial, sdp } = call.offer
    this.#call = call
    this.peer = audioOf(sdp, 'plain', 'g711-first')
    this.sipCallId = dial.callId
    this.remoteHeaders = applicationHeaders(dial)
    // The caller has received the leg by the next microtask.
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
      this.deps.log.warn({ err }, 'could not create the media endpoint of a loopback UAS leg')
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

  protected override sendBye(): Promise<void> {
    this.sip(sipStep('sent', 'BYE'))
    this.#call.hangUp('uas')
    return super.sendBye()
  }
}

/** The source of a loopback call, for which no packet arrived. */
const NOWHERE: IncomingInvite['source'] = { address: '', port: 0, transport: 'inside' }
/** The host in the addresses of loopback calls. */
const HERE = 'localhost'

/**
 * Returns a function that offers loopback calls to the handler of new calls. Both legs of a call use the
 * drachtio server of `deps`; `add` counts the UAS leg.
 */
export function loopbackOffers(
  deps: LegDeps,
  add: (leg: Leg) => Leg,
  handler: ((invite: IncomingInvite) => void) | undefined,
): (call: LoopbackCall) => void {
  return (call) => {
    const invite = loopbackInvite(call, (events) => {
      if (call.isTaken) throw new InvariantError('a call makes one leg')
      return add(new LoopbackUasLeg(call, events, deps))
    })
    offerInvite(invite, handler, () => call.isTaken, deps.log)
  }
}

/** Returns the INVITE of a loopback call; its `accept` creates the UAS leg. */
function loopbackInvite(call: LoopbackCall, accept: (events: LegEvents) => Leg): IncomingInvite {
  const { dial } = call.offer
  const called = addressOf(parseUri(dial.uri)?.user, undefined)
  return {
    callId: dial.callId,
    requestUri: called,
    from: addressOf(dial.from.user, dial.from.displayName),
    to: called,
    loopback: dial.loopback,
    source: NOWHERE,
    userAgent: undefined,
    audio: 'plain',
    headers: applicationHeaders(dial),
    maxForwards: dial.maxForwards,
    facts: undefined,
    reject: (status, reason = '', headers?: ResponseHeaders) => {
      call.refuse({ status, reason: sipText(reason), headers })
    },
    // A loopback caller cannot time out, so it gets a response.
    drop: () => {
      call.refuse({ status: 480, reason: 'Temporarily Unavailable' })
    },
    accept,
  }
}

function addressOf(user: string | undefined, displayName: string | undefined): SipAddress {
  const uri = `sip:${user === undefined ? '' : `${encodeURIComponent(user)}@`}${HERE}`
  return { user, host: HERE, displayName, uri }
}
