import { AdapterError } from '../../../platform/errors.js'
import { G711 } from '../codecs.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { OwnOffer } from '../freeswitch/peer-audio.js'
import { type LegDeps, notify } from '../legs/leg-deps.js'
import { responseStep, sipStep } from '../legs/sip-step.js'
import { type SdpAnswer, UacLeg } from '../legs/uac-leg.js'
import type { Leg, LegEvents, ReferralOutcome } from '../port.js'
import { audioOf, offerOf } from '../sdp.js'
import type { CheckedDial } from '../signaling/dial-headers.js'
import { secondsOf } from '../signaling/headers.js'
import {
  declineReferral,
  LoopbackCall,
  type LoopbackResponse,
  type LoopbackUac,
} from './loopback-call.js'

/** The UAC leg of a loopback call. `place` passes the call to the handler of new calls. */
export class LoopbackUacLeg extends UacLeg implements LoopbackUac {
  override readonly remoteHeaders: Leg['remoteHeaders'] = []
  protected override readonly hop = undefined
  protected override readonly ownUri = undefined
  readonly #place: (call: LoopbackCall) => void
  #call: LoopbackCall | undefined
  #answer = ''

  constructor(
    dial: CheckedDial,
    place: (call: LoopbackCall) => void,
    events: LegEvents,
    deps: LegDeps,
  ) {
    super(dial, events, deps)
    this.#place = place
  }

  /** The audio goes to another channel of ours, never to a peer's network. */
  protected override get ownOffer(): OwnOffer {
    return { offer: 'plain', party: undefined }
  }

  override refer(): Promise<ReferralOutcome> {
    return declineReferral(this.state)
  }

  onProvisional(response: LoopbackResponse): void {
    const { sdp } = response
    this.provisional(response, sdp === undefined ? undefined : audioIn(sdp))
  }

  onAccepted(sdp: string): void {
    this.sip(sipStep('received', '200 OK'))
    this.sip(sipStep('sent', 'ACK'))
    this.#answer = sdp
    if (this.hasEnded) this.#call?.hangUp('uac')
    else this.dispatch({ type: 'accepted' })
  }

  onRefused(response: LoopbackResponse): void {
    const { headers = {}, reason, status } = response
    const header = (name: string): string | undefined => {
      const value = headers[name]
      return typeof value === 'string' ? value : value?.[0]
    }
    this.sip(responseStep('received', { status, reason, get: header }))
    const retryAfterSeconds = secondsOf(header('Retry-After'))
    this.dispatch({
      type: 'refused',
      response: { status, reason, isFromPeer: true, retryAfterSeconds },
    })
  }

  override onBye(): void {
    this.sip(sipStep('received', 'BYE'))
    this.dispatch({ type: 'bye' })
  }

  protected override bar(): undefined {
    return undefined
  }

  protected override offerFrom(endpoint: MediaEndpoint): string {
    const offer = offerOf(endpoint.innerSdp, 'plain', G711)
    if (offer === undefined) throw new AdapterError('the media server offered no plain audio')
    return offer
  }

  protected override invite(): void {
    const call = new LoopbackCall({ dial: this.dial, sdp: this.localSdp, media: this.media }, this)
    this.#call = call
    notify(this.deps.log, () => this.events.onInvited?.())
    this.sip(sipStep('sent', 'INVITE'))
    this.#place(call)
  }

  protected override cancel(): void {
    this.#call?.cancel()
  }

  protected override adoptAnswer(): SdpAnswer {
    return audioIn(this.#answer)
  }

  protected override sendBye(): Promise<void> {
    this.sip(sipStep('sent', 'BYE'))
    this.#call?.hangUp('uac')
    return super.sendBye()
  }
}

function audioIn(sdp: string): SdpAnswer {
  const peer = audioOf(sdp, 'plain')
  return { sdp, audio: peer && { sdp: peer.audio, from: '', security: 'plain' } }
}
