import type { Clock } from '../../../platform/clock.js'
import { encodeMuLaw } from '../../audio/mu-law.js'
import type { CustomerSocket } from '../socket/customer-socket.js'

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const SAMPLE_BYTES = 2

/** Turns what a fork hears into the `media` messages of a stream's tracks. */
export class FrameSender {
  readonly #tracks: readonly ('inbound' | 'outbound')[]
  readonly #customer: CustomerSocket
  readonly #clock: Clock
  /** One channel unless something but the inbound track is wanted: then far end first, two. */
  readonly #channels: 1 | 2
  readonly #payload = Buffer.alloc(FRAME_SAMPLES)
  readonly #startedAt: number
  /** Frames so far, and how long after the start the first one came. */
  readonly #count: { frames: number; offset: number | undefined } = {
    frames: 0,
    offset: undefined,
  }

  constructor(tracks: readonly ('inbound' | 'outbound')[], clock: Clock, customer: CustomerSocket) {
    this.#tracks = tracks
    this.#customer = customer
    this.#clock = clock
    this.#channels = tracks.includes('outbound') ? 2 : 1
    this.#startedAt = clock.monotonic()
  }

  /** 20 ms of samples, or a multiple. */
  send(audio: Buffer): void {
    const frameBytes = FRAME_SAMPLES * SAMPLE_BYTES * this.#channels
    for (let at = 0; at + frameBytes <= audio.length; at += frameBytes)
      this.#sendFrame(audio.subarray(at, at + frameBytes))
  }

  #sendFrame(frame: Buffer): void {
    const count = this.#count
    count.offset ??= Math.round(this.#clock.monotonic() - this.#startedAt)
    const timestamp = String(count.offset + count.frames * FRAME_MS)
    count.frames += 1
    for (const track of this.#tracks) {
      const offset = track === 'outbound' ? SAMPLE_BYTES : 0
      encodeMuLaw(frame, { offset, stride: SAMPLE_BYTES * this.#channels }, this.#payload)
      const payload = this.#payload.toString('base64')
      this.#customer.send({
        event: 'media',
        media: { track, chunk: String(count.frames), timestamp, payload },
      })
    }
  }
}
