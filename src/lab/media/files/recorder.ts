/** Records an endpoint: in each tick, the audio received from the peer and the audio sent to it. */
import { clip16, FRAME_SAMPLES, SAMPLES_PER_MS } from '../dsp/frame.js'
import type { Tap } from '../model/audio-flow.js'
import type { RecordingEnd } from '../model/media-endpoint.js'
import type { RecordingRequest } from '../model/thread-messages.js'
import type { OpenFiles } from './open-files.js'
import { WavWriter } from './wav-writer.js'

export interface RecorderEvents {
  onStarted(): void
  /** Called once, when the file is complete or recording has failed. */
  onEnded(end: RecordingEnd): void
}

export class Recorder implements Tap {
  readonly request: RecordingRequest
  readonly #events: RecorderEvents
  readonly #writer: WavWriter
  readonly #mixed: Int16Array
  readonly #limit: number
  #samples = 0
  #isMasked = false
  #error: string | undefined
  #ending: Promise<void> | undefined

  constructor(request: RecordingRequest, files: OpenFiles, events: RecorderEvents) {
    this.request = request
    this.#events = events
    const channels = request.channels === 'stereo' ? 2 : 1
    this.#mixed = new Int16Array(FRAME_SAMPLES * channels)
    const { limitMs } = request
    this.#limit = limitMs === undefined || limitMs <= 0 ? Infinity : limitMs * SAMPLES_PER_MS
    this.#writer = new WavWriter(request.path, channels, files, {
      onOpened: () => {
        events.onStarted()
      },
      onFailed: (error) => {
        this.#error = error.message
        void this.stop('failed')
      },
    })
  }

  get isOver(): boolean {
    return this.#ending !== undefined
  }

  setMasked(isMasked: boolean): void {
    this.#isMasked = isMasked
  }

  write(heard: Int16Array, said: Int16Array): void {
    if (this.isOver) return
    const count = Math.min(FRAME_SAMPLES, Math.round(this.#limit - this.#samples))
    if (this.#isMasked) this.#mixed.fill(0)
    else if (this.request.channels === 'stereo') this.#interleave(heard, said)
    else this.#mix(heard, said)
    const channels = this.#mixed.length / FRAME_SAMPLES
    this.#writer.append(
      count < FRAME_SAMPLES ? this.#mixed.subarray(0, count * channels) : this.#mixed,
    )
    this.#samples += count
    if (this.#samples >= this.#limit) void this.stop('limit')
  }

  close(): Promise<void> {
    return this.stop('closed')
  }

  /** Stops the recording. Resolves when its end was reported. */
  stop(reason: RecordingEnd['reason']): Promise<void> {
    this.#ending ??= this.#finish(reason)
    return this.#ending
  }

  async #finish(reason: RecordingEnd['reason']): Promise<void> {
    if (reason !== 'failed') await this.#writer.close()
    const samples = this.#samples
    const error = this.#error
    this.#events.onEnded(
      error === undefined ? { samples, reason } : { samples, reason: 'failed', error },
    )
  }

  #interleave(heard: Int16Array, said: Int16Array): void {
    const hasSaid = this.request.isReadOnly !== true
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      this.#mixed[2 * i] = heard[i] ?? 0
      this.#mixed[2 * i + 1] = hasSaid ? (said[i] ?? 0) : 0
    }
  }

  #mix(heard: Int16Array, said: Int16Array): void {
    if (this.request.isReadOnly === true) {
      this.#mixed.set(heard)
      return
    }
    for (let i = 0; i < FRAME_SAMPLES; i++)
      this.#mixed[i] = clip16((heard[i] ?? 0) + (said[i] ?? 0))
  }
}
