import { randomInt, randomUUID } from 'node:crypto'
import { maskMediaKeys } from '../../platform/mask-secrets.js'
import { CODECS } from '../media/codecs/audio-codec.js'
import type { MediaEndpoint } from '../media/model/media-endpoint.js'
import type { MediaEngine } from '../media/model/media-engine.js'
import type { RemoteMedia } from '../media/model/remote-media.js'
import type { SipRequest, SipResponse } from '../sip/message/types.js'
import { LocalKeys } from '../sip/sdp/local-keys.js'
import { answerOffer, makeOffer, readAnswer } from '../sip/sdp/sdp-answer.js'
import type { IncomingCall, SipCallEnd } from '../sip/user-agent/user-agent-types.js'
import { applicationHeaders, newBase, tellComplete } from './channel/application-events.js'
import {
  headerValue,
  inviteVariables,
  mediaVariables,
  readProfile,
  signallingAddressOf,
  wantsSecureMedia,
} from './channel/call-profile.js'
import { Channel, type ChannelDeps } from './channel/channel.js'
import { newProgress } from './channel/progress.js'
import type { SwitchCore } from './core/switch-core.js'
import type { HangupCause } from './model/hangup-cause.js'
import { microseconds } from './model/switch-facts.js'
import { readSocketTargets, type SocketTarget } from './outbound-socket.js'

export interface TakeCallDeps {
  readonly core: SwitchCore
  readonly engine: MediaEngine
  readonly channels: ChannelDeps
  /** Variables that are set on each channel before it is answered, as a dialplan would. */
  readonly dialplanVariables: Readonly<Record<string, string>>
  /** Connects the answered channel to the application that controls it. */
  readonly control: (channel: Channel, targets: readonly SocketTarget[]) => Promise<void>
}

/** The result of an offer/answer exchange. Without `remote`, nothing is sent to the peer. */
interface AgreedMedia {
  readonly localSdp: string
  readonly remoteSdp: string
  readonly remote: RemoteMedia | undefined
}

/**
 * The silence setting of a call that rings: nothing is sent to it before the first sound; see
 * `RemoteMedia`.
 */
const SILENCE = 'after-sound'

/** Answers an INVITE as the real server's dialplan does: `answer`, then `socket HOST:PORT async full`. */
export async function takeCall(call: IncomingCall, deps: TakeCallDeps): Promise<void> {
  const { core } = deps
  const targets = readSocketTargets(headerValue(call.request.headers, 'X-esl-outbound') ?? '')
  if (targets === undefined) {
    core.log.warn({ callId: call.callId }, 'refused a call that names no application')
    call.reject(404)
    return
  }
  if (core.channels.size >= core.facts.maxSessions || core.sessions.isPaused) {
    core.log.warn({ sessions: core.channels.size }, 'refused a call over the limit or while paused')
    call.reject(503, 'Maximum Calls In Progress')
    return
  }
  const setup = new CallSetup(call, targets, deps)
  const media = await setup.openMedia()
  if (media !== undefined) setup.answer(media)
}

/** A call between its INVITE and its channel; stores what the peer does meanwhile. */
class CallSetup {
  readonly #call: IncomingCall
  readonly #targets: readonly SocketTarget[]
  readonly #deps: TakeCallDeps
  #channel: Channel | undefined
  #description: SessionDescription | undefined
  #isOver = false

  constructor(call: IncomingCall, targets: readonly SocketTarget[], deps: TakeCallDeps) {
    this.#call = call
    this.#targets = targets
    this.#deps = deps
    call.setEvents({
      onOffer: (sdp, request) => Promise.resolve(this.#onOffer(sdp, request)),
      onAnswer: (sdp, message) => {
        this.#onAnswer(sdp, message)
      },
      onConfirmed: () => {
        if (call.offer === undefined) this.#control()
      },
      onEnded: (end) => {
        this.#isOver = true
        this.#channel?.hangup(causeOf(end), 'them')
      },
    })
  }

  /** Opens the media endpoint. Resolves with undefined when the call was refused or has ended. */
  async openMedia(): Promise<MediaEndpoint | undefined> {
    const { engine, core } = this.#deps
    let media: MediaEndpoint
    try {
      media = await engine.open({
        onDigit: (digit, durationMs, source) =>
          this.#channel?.receive({ digit, durationMs, source }),
        onTalking: (isTalking) => this.#channel?.work.silence.hear(isTalking),
        onForgedPacket: () => {
          core.log.warn({ callId: this.#call.callId }, 'dropped RTP that fails SRTP authentication')
        },
        onFailed: (err) => {
          core.log.error({ err, callId: this.#call.callId }, 'the media of a call failed')
          this.#channel?.hangup('NORMAL_TEMPORARY_FAILURE', 'us')
        },
      })
    } catch (err) {
      core.log.error({ err, callId: this.#call.callId }, 'refused a call without a media endpoint')
      // As FreeSWITCH does, which takes an offer without a port of its own for one that does not fit.
      this.#call.reject(this.#call.offer === undefined ? 503 : 488)
      return undefined
    }
    media.setDigitTones(false)
    if (!this.#isOver) return media
    await media.close()
    return undefined
  }

  /** Sends the 200 and starts the channel. */
  answer(media: MediaEndpoint): void {
    const { core } = this.#deps
    const { offer } = this.#call
    const isSecure = wantsSecureMedia(this.#call.request)
    const description = new SessionDescription(media, core.facts.mediaAddress, isSecure)
    this.#description = description
    const source = signallingAddressOf(this.#call.request, this.#call.from)
    const agreed = offer === undefined ? undefined : description.answer(offer, source)
    if (offer !== undefined && agreed === undefined) {
      this.#call.reject(488)
      media.close().catch((err: unknown) => {
        core.log.error({ err }, 'could not close the endpoint of a refused call')
      })
      return
    }
    const channel = this.#makeChannel(media)
    this.#channel = channel
    if (agreed !== undefined) this.#agree(channel, agreed)
    // No answer yet: what we offer is all that is known.
    else this.#agree(channel, { localSdp: description.offer(), remoteSdp: '', remote: undefined })
    tellAnswered(channel, agreed !== undefined)
    this.#call.answer(channel.variables.get('rtp_local_sdp_str') ?? '')
    if (agreed !== undefined) this.#control()
  }

  #makeChannel(media: MediaEndpoint): Channel {
    const { core, channels, dialplanVariables } = this.#deps
    const uuid = randomUUID()
    const now = Date.now()
    const channel = new Channel(
      {
        uuid,
        profile: readProfile(this.#call, core.facts),
        progress: newProgress(now),
        leg: {
          call: this.#call,
          media,
          offerAnew: () => {
            if (this.#description) this.#call.reinvite(this.#description.offer())
          },
        },
      },
      channels,
    )
    core.channels.set(uuid, channel)
    const sessionId = core.sessions.add(core.channels.size, now)
    channel.variables.setAll(
      inviteVariables(this.#call, core.facts, { uuid, sessionId, stamp: microseconds(now) }),
    )
    channel.variables.setAll(dialplanVariables)
    return channel
  }

  #agree(channel: Channel, { localSdp, remoteSdp, remote }: AgreedMedia): void {
    const local = {
      address: this.#deps.core.facts.mediaAddress,
      port: channel.leg.media.port,
      sdp: localSdp,
    }
    // No client needs the peer's key, so it is masked; our own key stays in the SDP that the client forwards.
    channel.variables.setAll(mediaVariables(local, remote, maskMediaKeys(remoteSdp)))
  }

  #onOffer(sdp: string, request: SipRequest): string | { readonly refuse: number } {
    const channel = this.#channel
    const source = signallingAddressOf(request, this.#call.from)
    const agreed = this.#description?.answer(sdp, source)
    if (channel === undefined || agreed === undefined) return { refuse: 488 }
    this.#agree(channel, agreed)
    followHold(channel, agreed)
    return agreed.localSdp
  }

  #onAnswer(sdp: string, message: SipRequest | SipResponse = this.#call.request): void {
    if (this.#channel === undefined || this.#description === undefined) return
    const source = signallingAddressOf(message, this.#call.from)
    this.#agree(this.#channel, this.#description.takeAnswer(sdp, source))
  }

  #control(): void {
    const channel = this.#channel
    const { core, control } = this.#deps
    if (channel === undefined || channel.isDown) return
    control(channel, this.#targets).catch((err: unknown) => {
      core.log.error(
        { err, channel: channel.uuid },
        'could not connect a channel to its application',
      )
      channel.hangup('NORMAL_CLEARING', 'us')
    })
  }
}

function tellAnswered(channel: Channel, hasEarlyMedia: boolean): void {
  const { progress } = channel
  const answer = { app: 'answer', uuid: randomUUID() }
  channel.fire('CHANNEL_CREATE')
  progress.state = 'CS_ROUTING'
  channel.enterCallState('RINGING')
  progress.state = 'CS_EXECUTE'
  channel.fire('CHANNEL_EXECUTE', applicationHeaders(answer, ''))
  if (hasEarlyMedia) {
    progress.progressMediaAt = Date.now()
    progress.answerState = 'early'
    channel.variables.set('endpoint_disposition', 'EARLY MEDIA')
    channel.fire('CHANNEL_PROGRESS_MEDIA')
    channel.enterCallState('EARLY')
  }
  progress.answeredAt = Date.now()
  progress.answerState = 'answered'
  channel.fire('CHANNEL_ANSWER')
  channel.enterCallState('ACTIVE')
  channel.variables.set('endpoint_disposition', 'ANSWER')
  tellComplete(channel, answer, '')
}

/** Follows the peer's hold: a peer that stops listening holds the call. */
function followHold(channel: Channel, { remote }: AgreedMedia): void {
  const isHeld = remote?.direction === 'recvonly' || remote?.direction === 'inactive'
  const wasHeld = channel.progress.callState === 'HELD'
  if (isHeld === wasHeld) return
  channel.enterCallState(isHeld ? 'HELD' : 'UNHELD')
  channel.fire(isHeld ? 'CHANNEL_HOLD' : 'CHANNEL_UNHOLD')
}

/** The offer/answer exchanges of one channel. */
class SessionDescription {
  readonly #address: string
  readonly #media: MediaEndpoint
  readonly #sessionId = randomInt(1_000_000_000, 2_000_000_000)
  readonly #keys: LocalKeys | undefined
  #version = 0
  #offered = ''

  /** A secure channel speaks SRTP only, as with `rtp_secure_media=mandatory`; another one plain RTP. */
  constructor(media: MediaEndpoint, address: string, isSecure: boolean) {
    this.#media = media
    this.#address = address
    this.#keys = isSecure ? new LocalKeys() : undefined
  }

  /**
   * Agrees to an offer and sends there; undefined when we speak no codec in it. `signallingAddress`
   * is the address that the far end's signalling came from.
   */
  answer(offer: string, signallingAddress: string): AgreedMedia | undefined {
    const answer = answerOffer(offer, this.#local())
    if ('refuse' in answer) return undefined
    this.#media.setRemote({ ...answer.remote, signallingAddress, silence: SILENCE })
    return { localSdp: answer.sdp, remoteSdp: offer, remote: answer.remote }
  }

  offer(): string {
    this.#offered = makeOffer(this.#local())
    return this.#offered
  }

  /**
   * Takes the answer to `offer()`. A client that only wants the endpoint sends our own description
   * back: then there is no peer to send to yet.
   */
  takeAnswer(answer: string, signallingAddress: string): AgreedMedia {
    const remote = readAnswer(answer, { keys: this.#keys, codecs: CODECS })
    const isOurs = remote?.port === this.#media.port && remote.address === this.#address
    const reached = isOurs ? undefined : remote
    // Playbacks start only once the peer is known: this one is, and gets nothing.
    if (reached !== undefined)
      this.#media.setRemote({ ...reached, signallingAddress, silence: SILENCE })
    else
      this.#media.setRemote({
        address: this.#address,
        port: this.#media.port,
        codec: 'PCMU',
        direction: 'inactive',
      })
    return { localSdp: this.#offered, remoteSdp: answer, remote: reached }
  }

  #local() {
    this.#version++
    return {
      address: this.#address,
      port: this.#media.port,
      sessionId: this.#sessionId,
      sessionVersion: this.#version,
      name: 'lab',
      keys: this.#keys,
      codecs: CODECS,
    }
  }
}

function causeOf({ by, status }: SipCallEnd): HangupCause {
  if (status === 487) return 'ORIGINATOR_CANCEL'
  return by === 'timeout' ? 'RECOVERY_ON_TIMER_EXPIRE' : 'NORMAL_CLEARING'
}

/** Parks the channel for its application, as the last action of the dialplan does. */
export function parkOnSocket(channel: Channel, { host, port }: SocketTarget): void {
  channel.variables.set('socket_host', host)
  const arg = `${host}:${port} async full`
  channel.variables.setAll({ current_application_data: arg, current_application: 'socket' })
  channel.park(newBase('socket', arg))
}
