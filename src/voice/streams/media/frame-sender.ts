import type { Clock } from '../../../platform/clock.js'
import { encodeMuLaw } from '../../audio/mu-law.js'
import type { CustomerSocket } from '../socket/customer-socket.js'

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const SAMPLE_BYTES = 2

/** Sends the audio of a fork as the `media` messages of a stream's tracks. */
export class FrameSender {
  readonly #tracks: readonly ('inbound' | 'outbound')[]
  readonly #customer: CustomerSocket
  readonly #clock: Clock
  /**
   * Channels of the fork's audio: two, far end first, when the outbound track is sent; else one.
   */
  readonly #channels: 1 | 2
  readonly #payload = Buffer.alloc(FRAME_SAMPLES)
  readonly #startedAt: number
  #frames = 0
  /** Milliseconds from the stream's start to its first frame. */
  #offsetMs: number | undefined

  constructor(tracks: readonly ('inbound' | 'outbound')[], clock: Clock, customer: CustomerSocket) {
    this.#tracks = tracks
    this.#customer = customer
    this.#clock = clock
    this.#channels = tracks.includes('outbound') ? 2 : 1
    this.#startedAt = clock.monotonic()
  }

  /** Sends 20 ms of samples, or a multiple. */
  send(audio: Buffer): void {
    const frameBytes = FRAME_SAMPLES * SAMPLE_BYTES * this.#channels
    for (let at = 0; at + frameBytes <= audio.length; at += frameBytes)
      this.#sendFrame(audio.subarray(at, at + frameBytes))
  }

  #sendFrame(frame: Buffer): void {
    this.#offsetMs ??= Math.round(this.#clock.monotonic() - this.#startedAt)
    const timestamp = String(this.#offsetMs + this.#frames * FRAME_MS)
    this.#frames += 1
    for (const track of this.#tracks) {
      const offset = track === 'outbound' ? SAMPLE_BYTES : 0
      encodeMuLaw(frame, { offset, stride: SAMPLE_BYTES * this.#channels }, this.#payload)
      const payload = this.#payload.toString('base64')
      this.#customer.send({
        event: 'media',
        media: { track, chunk: String(this.#frames), timestamp, payload },
      })
    }
  }
}
