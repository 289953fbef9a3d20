/** One call at a phone, for its behaviour; each wait ends with the call. */
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { linkAbort } from '../../platform/async/abort.js'
import type { EndpointEvents, MediaEndpoint } from '../media/model/media-endpoint.js'
import type { MediaEngine } from '../media/model/media-engine.js'
import { answerOffer, type LocalMedia, makeOffer, readAnswer } from '../sip/sdp/sdp-answer.js'
import type { IncomingCall } from '../sip/user-agent/user-agent-types.js'

export interface PhoneLineDeps {
  readonly invite: IncomingCall
  readonly media: MediaEngine
  /** The address in our SDP. */
  readonly mediaAddress: string
  /** The file for the audio that the phone receives; undefined disables recording. */
  readonly recordingFile: string | undefined
  /** Factor of every wait; tests set a small one. */
  readonly pace: number
  /** Returns 8 kHz samples; undefined when there is no speech. */
  speech(sentence: Sentence): Promise<Int16Array | undefined>
}

/** Silence after which a party counts as quiet, ms; a breath is shorter. */
const QUIET_MS = 700
const PROMPT_STARTS_WITHIN_MS = 10_000
const PROMPT_LIMIT_MS = 60_000
/** Tones that replace a sentence when speech synthesis fails. */
const NO_SPEECH = '%(200,100,440);loops=3'

/** All sentences of the phones. */
export const SENTENCES = {
  hello: 'Hello, this is Anna.',
  voicemail:
    'You have reached the voicemail of the laboratory. Nobody can take your call at the moment. ' +
    'Please leave a message after the tone.',
  yes: 'Yes.',
} as const

export type Sentence = keyof typeof SENTENCES

export class PhoneLine {
  readonly #deps: PhoneLineDeps
  readonly #ended = new AbortController()
  readonly #heard = new EventEmitter()
  #endpoint: MediaEndpoint | undefined
  #isTalking = false
  /** True when the other side has spoken since the phone last waited for quiet. */
  #hasHeard = false
  #sessionVersion = 0

  constructor(deps: PhoneLineDeps) {
    this.#deps = deps
    deps.invite.setEvents({
      onConfirmed: () => this.#heard.emit('confirmed'),
      onOffer: (sdp) => Promise.resolve(this.#answerTo(sdp)),
      onAnswer: (sdp) => {
        this.#listenTo(sdp)
      },
      onEnded: () => {
        this.#ended.abort()
      },
    })
  }

  /** Aborts when either side has ended the call. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  ring(): void {
    this.#deps.invite.ring(180)
  }

  reject(status: number): void {
    this.#deps.invite.reject(status)
  }

  /** Answers. Resolves when the caller has acknowledged; rejects when the call ends first. */
  async answer(): Promise<void> {
    const { invite, media, recordingFile } = this.#deps
    const endpoint = await media.open(this.#mediaEvents())
    this.#endpoint = endpoint
    this.signal.throwIfAborted()
    const { offer } = invite
    const sdp = offer === undefined ? makeOffer(this.#local(endpoint)) : this.#answerTo(offer)
    if (typeof sdp !== 'string') {
      invite.reject(sdp.refuse)
      return
    }
    if (recordingFile !== undefined)
      endpoint.record(recordingFile, { channels: 'mono', isReadOnly: true })
    endpoint.watchLevel({ hangoverMs: QUIET_MS })
    const confirmed = once(this.#heard, 'confirmed', { signal: this.signal })
    invite.answer(sdp)
    await confirmed
  }

  async say(sentence: Sentence): Promise<void> {
    const pcm = await this.#deps.speech(sentence)
    this.signal.throwIfAborted()
    if (pcm === undefined) await this.tone(NO_SPEECH)
    else await this.#endpoint?.play({ type: 'samples', pcm }).ended
  }

  async tone(script: string): Promise<void> {
    this.signal.throwIfAborted()
    await this.#endpoint?.play({ type: 'tone', script }).ended
  }

  async press(digits: string): Promise<void> {
    this.signal.throwIfAborted()
    await this.#endpoint?.sendDigits(digits)
  }

  echo(): void {
    this.#endpoint?.setEcho(true)
  }

  hangup(): void {
    this.#deps.invite.hangup()
  }

  async wait(ms: number): Promise<void> {
    await delay(ms * this.#deps.pace, undefined, { signal: this.signal })
  }

  /**
   * Waits until the other side has spoken and then paused. Waits at most `startsWithinMs` for the
   * first word, and a minute for the last one.
   */
  async untilQuiet(startsWithinMs = PROMPT_STARTS_WITHIN_MS): Promise<void> {
    this.signal.throwIfAborted()
    if (!this.#hasHeard) await this.#hears('talking', startsWithinMs)
    if (this.#isTalking) await this.#hears('quiet', PROMPT_LIMIT_MS)
    this.#hasHeard = false
  }

  /** Disposes of everything and ends the playbacks; the call must have ended. */
  async close(): Promise<void> {
    await this.#endpoint?.close()
  }

  /** Waits for talking or quiet. Resolves at the limit as well. */
  async #hears(what: 'talking' | 'quiet', limitMs: number): Promise<void> {
    const ms = limitMs * this.#deps.pace
    using limit = linkAbort([this.signal], { ms, reason: () => new Error('heard nothing in time') })
    const { signal } = limit
    await once(this.#heard, what, { signal }).catch((reason: unknown) => {
      if (!signal.aborted || this.signal.aborted) throw reason
    })
  }

  #mediaEvents(): EndpointEvents {
    return {
      onTalking: (isTalking) => {
        this.#isTalking = isTalking
        this.#hasHeard ||= isTalking
        this.#heard.emit(isTalking ? 'talking' : 'quiet')
      },
      onFailed: () => {
        this.hangup()
      },
    }
  }

  #local(endpoint: MediaEndpoint): LocalMedia {
    this.#sessionVersion += 1
    return {
      address: this.#deps.mediaAddress,
      port: endpoint.port,
      sessionId: endpoint.port,
      sessionVersion: this.#sessionVersion,
    }
  }

  #answerTo(offer: string): string | { readonly refuse: number } {
    if (this.#endpoint === undefined) return { refuse: 488 }
    const answer = answerOffer(offer, this.#local(this.#endpoint))
    if ('refuse' in answer) return answer
    this.#endpoint.setRemote(answer.remote)
    return answer.sdp
  }

  /** Applies the answer to our own offer. The call ends when the party refuses the audio. */
  #listenTo(sdp: string): void {
    const remote = readAnswer(sdp)
    if (remote === undefined) this.hangup()
    else this.#endpoint?.setRemote(remote)
  }
}
