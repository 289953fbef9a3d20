import type { Dialog, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { InviteFacts } from '../dialog-facts.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { type OwnOffer, peerAudio } from '../freeswitch/peer-audio.js'
import { type Leg, type LegEnd, LegEndedError } from '../port.js'
import { audioOf, offerOf } from '../sdp.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import { inviteFactsOf } from '../signaling/dialog-facts-of.js'
import { endDialog } from '../signaling/end-dialog.js'
import { OutgoingInvite } from '../signaling/outgoing-invite.js'
import { secondsOf } from '../signaling/seconds-header.js'
import { tell } from './leg-deps.js'
import { CLEAR_KEYS, NO_TLS, SIPS_IN_CLEAR } from './leg-end.js'
import { type BroughtAudio, OutgoingLeg } from './outgoing-leg.js'
import { responseStep, sipStep } from './sip-step.js'

/** A leg that is dialled by SIP. */
export class OutboundLeg extends OutgoingLeg {
  #invite: OutgoingInvite | undefined
  /** Our INVITE until its final response. */
  #open: InviteFacts | undefined
  #remoteHeaders: Leg['remoteHeaders'] = []

  override get openInvites(): Leg['openInvites'] {
    if (this.#open === undefined) return []
    return this.hasEnded && this.deps.signaling.isOpen ? [] : [this.#open]
  }

  override get remoteHeaders(): Leg['remoteHeaders'] {
    return this.#remoteHeaders
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
          this.#open = inviteFactsOf(request, 'us', signaling.name)
          tell(log, () => this.events.onInvited?.())
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
          this.dispatch({ type: 'unsendable' })
        },
      },
      log,
    )
  }

  protected override cancel(): void {
    this.#invite?.cancel()
  }

  protected override adoptAnswer(endpoint: MediaEndpoint): BroughtAudio {
    const { dialog, localSdp } = this
    if (dialog === undefined) throw new LegEndedError('the leg is over')
    // The answer may come in a reliable 183 and nowhere else (RFC 3261 §13.2.1).
    const remoteSdp = dialog.remote.sdp || (this.joinedSdp ?? '')
    const { security, codecs } = this.dial
    const { codecs: spoken } = this.deps
    this.adopt(dialog, { endpoint, remoteSdp, localSdp, security, codecs, spoken })
    return this.#audioIn(remoteSdp, dialog.res)
  }

  #earlyAudio(response: SrfResponse): BroughtAudio | undefined {
    return response.body ? this.#audioIn(response.body, response) : undefined
  }

  /** The audio of an SDP of the peer. An answer in the clear to a secure offer is no answer. */
  #audioIn(sdp: string, message: { readonly source_address: string }): BroughtAudio {
    const peer = audioOf(sdp, this.dial.security)
    return { sdp, audio: peer && peerAudio(peer, message) }
  }

  #accepted(dialog: Dialog): void {
    this.#open = undefined
    this.sip(sipStep('received', '200 OK', dialog.res))
    this.sip(sipStep('sent', 'ACK', dialog.res))
    if (this.hasEnded) {
      // The 200 came after the leg's end: a BYE keeps the peer from staying in the dialog alone.
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
    // 503 in place of an answer: the transport has failed (RFC 3261 §8.1.3.1).
    const hasFailed = this.dial.isHopSecure && !isFromPeer && status === 503
    const obstacle = hasFailed ? 'no-tls' : undefined
    this.dispatch({
      type: 'refused',
      response: { status, reason, isFromPeer, retryAfterSeconds, obstacle },
    })
  }
}
