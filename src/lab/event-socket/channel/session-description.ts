import { randomInt } from 'node:crypto'
import { CODECS } from '../../media/codecs/audio-codec.js'
import type { MediaEndpoint } from '../../media/model/media-endpoint.js'
import type { RemoteMedia } from '../../media/model/remote-media.js'
import { LocalKeys } from '../../sip/sdp/local-keys.js'
import { answerOffer, makeOffer, readAnswer } from '../../sip/sdp/sdp-answer.js'

/** A description agreed upon. Without a remote nothing is sent, though all else works. */
export interface AgreedMedia {
  readonly localSdp: string
  readonly remoteSdp: string
  readonly remote: RemoteMedia | undefined
}

/**
 * The silence setting of a call that rings: nothing is sent to it before the first sound; see
 * `RemoteMedia`.
 */
const SILENCE = 'after-sound'

/** The offers and answers of one channel, over its whole life. */
export class SessionDescription {
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
