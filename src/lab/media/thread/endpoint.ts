/**
 * Runs one endpoint. A tick has two halves. `listen` takes the peer's audio. `speak` makes the
 * audio for the peer (digits, else a playback, else the connected endpoint, else silence), sends it
 * and notifies the taps.
 */

import { keyOfEvent } from '../codecs/telephone-event.js'
import { type DigitJob, DigitSender } from '../dsp/digit-sender.js'
import { FRAME_SAMPLES } from '../dsp/frame.js'
import { InBandDigits, type ReportDigit } from '../dsp/in-band-digits.js'
import { KEY_TONES, ToneGenerator } from '../dsp/tone-generator.js'
import type { AudioFork } from '../forks/audio-fork.js'
import type { Dub, Feed, Tap } from '../model/audio-flow.js'
import type { EndpointStats } from '../model/media-endpoint.js'
import type { RemoteMedia } from '../model/remote-media.js'
import type { PlaybackQueue } from '../playback/playback-queue.js'
import type { RtpLink } from '../rtp/rtp-link.js'
import type { RtpSender } from '../rtp/rtp-sender.js'
import type { PeerWatch } from './peer-watch.js'

/**
 * Amplitude of each of the two tones: together about −7 dBm0, within the limits of ITU-T Q.23 for
 * phones.
 */
const TONE_AMPLITUDE = 7000

export class Endpoint {
  readonly link: RtpLink
  readonly playbacks: PlaybackQueue
  readonly digits = new DigitOutput()
  readonly taps = new Set<Tap>()
  readonly dubs = new Set<Dub>()
  /** The forks by number; each is also a tap. */
  readonly forks = new Map<number, AudioFork>()
  readonly watch: PeerWatch
  /** The peer's frame of the current tick. */
  readonly heard = new Int16Array(FRAME_SAMPLES)
  readonly #said = new Int16Array(FRAME_SAMPLES)
  #feed: Feed | undefined
  #isReadMuted = false
  #isWriteMuted = false
  #inBandDigits: InBandDigits | undefined

  constructor(link: RtpLink, playbacks: PlaybackQueue, watch: PeerWatch) {
    this.link = link
    this.playbacks = playbacks
    this.watch = watch
  }

  /** Sets the audio for the peer while nothing plays. */
  setFeed(feed: Feed | undefined): void {
    this.#feed = feed
  }

  setMute(direction: 'read' | 'write', isMuted: boolean): void {
    if (direction === 'read') {
      this.#isReadMuted = isMuted
      this.link.receiver.setMuted(isMuted)
    } else this.#isWriteMuted = isMuted
  }

  /** Starts reporting digits in the peer's audio; undefined stops it. Repeating has no effect. */
  detectDigits(report: ReportDigit | undefined): void {
    if (report === undefined) this.#inBandDigits = undefined
    else this.#inBandDigits ??= new InBandDigits(report)
  }

  listen(nowMs: number): void {
    this.link.onTime(nowMs)
    this.link.receiver.take(this.heard)
    this.#inBandDigits?.push(this.heard)
    if (this.#isReadMuted) this.heard.fill(0)
    this.watch.onTime(this.link.receiver, nowMs)
  }

  speak(): void {
    const { sender, remote } = this.link
    const { heard } = this
    const said = this.#said
    let hasSound = this.#fill(said, remote !== undefined)
    const isEvent = this.digits.advance(sender, remote?.dtmfPayloadType, said)
    if (isEvent) said.fill(0)
    else if (this.digits.isToneOn) hasSound = true
    for (const tap of this.taps) tap.write(heard, said, hasSound)
    if (isEvent) return
    if (hasSound || this.#sendsSilence(remote)) sender.sendAudio(hasSound ? said : undefined)
    else sender.skip()
  }

  /** Ends the playbacks and recordings, then closes the port. */
  async close(): Promise<EndpointStats> {
    this.playbacks.close()
    this.digits.clear()
    this.setFeed(undefined)
    const taps = [...this.taps]
    this.taps.clear()
    this.dubs.clear()
    this.link.receiver.arrivals.clear()
    const stats = this.link.stats()
    await Promise.all([this.link.close(), ...taps.map((tap) => tap.close())])
    return stats
  }

  #sendsSilence(remote: RemoteMedia | undefined): boolean {
    if (remote?.silence === 'after-sound') return this.link.sender.counts.packets > 0
    return remote?.silence !== 'suppressed'
  }

  /**
   * Fills a frame; returns false for silence. Playbacks advance even when no audio may be sent, but
   * not before there is a peer.
   */
  #fill(said: Int16Array, hasPeer: boolean): boolean {
    const hasSound = (hasPeer && this.playbacks.fill(said)) || this.#feed?.fill(said) === true
    if (hasSound) for (const dub of this.dubs) dub.mixInto(said)
    if (hasSound && !this.#isWriteMuted) return true
    said.fill(0)
    return false
  }
}

/**
 * Sends digits: as telephone events when the peer supports them, else as tones in the audio if
 * allowed.
 */
class DigitOutput {
  readonly #sender = new DigitSender()
  readonly #tones = new ToneGenerator()
  /** False drops the digits for a peer without telephone events. */
  hasTones = true

  get queued(): number {
    return this.#sender.queued
  }

  add(job: DigitJob): void {
    this.#sender.add(job)
  }

  clear(): void {
    this.#sender.clear()
  }

  /**
   * Advances by one frame. Returns true when a telephone-event packet replaced the audio; otherwise
   * `said` may now have a tone (`isToneOn`).
   */
  advance(rtp: RtpSender, payloadType: number | undefined, said: Int16Array): boolean {
    const frame = this.#sender.advance()
    if (frame === 'idle' || frame === 'pause') return false
    if (payloadType !== undefined) {
      rtp.sendEvent(payloadType, this.#sender.present, frame === 'first')
      return true
    }
    if (frame === 'first') {
      const key = keyOfEvent(this.#sender.present.event) ?? ''
      this.#tones.start(KEY_TONES[key] ?? [])
    }
    if (this.isToneOn)
      for (let i = 0; i < said.length; i++) said[i] = this.#tones.next() * TONE_AMPLITUDE
    return false
  }

  /** True while the tone of the digit that `advance` last wrote is on. */
  get isToneOn(): boolean {
    return this.hasTones && this.#sender.isPressed
  }
}
