import type { Clock } from '../../platform/clock.js'
import type { LegRecording } from '../telephony/leg-media.js'
import { sizeOf } from './files/wav-part.js'
import { mediaServerPath, partPath, type RecordingFolders } from './recording-files.js'
import type { RecordingRecord } from './recording-record.js'

/** A leg or room that can be recorded. A room cannot be masked. */
export interface RecordedAudio {
  record(path: string, options: { readonly channels: 'mono' | 'stereo' }): Promise<RecordedPart>
}

type RecordedPart = Pick<LegRecording, 'ended' | 'stop'> &
  Partial<Pick<LegRecording, 'pause' | 'resume'>>

export interface RecordedPartsDeps {
  readonly clock: Clock
  readonly folders: RecordingFolders
  readonly listener: RecordedPartsListener
}

export interface RecordedPartsListener {
  /** Called when the recording reaches its maximum length. */
  onFull(): void
  /** Called when the media server drops a part, for example on a full disk. */
  onLost(): void
}

/** Maximum timer, ms: longer than any call, and below 2^31, where a timer would fire at once. */
const MAX_TIMER_MS = 2_000_000_000

/** The part files of one recording; one is written at a time. */
export class RecordedParts {
  readonly #audio: RecordedAudio
  readonly #deps: RecordedPartsDeps
  readonly #record: Pick<RecordingRecord, 'sid' | 'channels' | 'track'>
  readonly #time: RecordedTime
  #part: RecordedPart | undefined
  #count = 0

  constructor(
    record: Pick<RecordingRecord, 'sid' | 'channels' | 'track' | 'maxMs'>,
    audio: RecordedAudio,
    deps: RecordedPartsDeps,
  ) {
    this.#audio = audio
    this.#deps = deps
    this.#record = record
    this.#time = new RecordedTime(deps.clock, record.maxMs, () => {
      deps.listener.onFull()
    })
  }

  /** True while the media server writes a part. */
  get isWriting(): boolean {
    return this.#part !== undefined
  }

  /** Starts the next part; resolves once the media server writes it. */
  async begin(): Promise<void> {
    const { folders, listener } = this.#deps
    const path = mediaServerPath(folders, this.#record.sid, await this.#nextIndex())
    const { channels: wanted, track } = this.#record
    // Two channels are recorded; the finished file keeps one side of them.
    const channels = wanted === 'dual' || track !== 'both' ? 'stereo' : 'mono'
    const part = await this.#audio.record(path, { channels })
    this.#part = part
    this.#time.go()
    void part.ended.then(() => {
      if (this.#part !== part) return
      this.#time.halt()
      this.#part = undefined
      listener.onLost()
    })
  }

  /** Ends the current part; resolves once its file is complete. */
  async end(): Promise<void> {
    this.#time.halt()
    const part = this.#part
    this.#part = undefined
    await part?.stop()
  }

  async mask(): Promise<void> {
    await this.#part?.pause?.()
  }

  async unmask(): Promise<void> {
    await this.#part?.resume?.()
  }

  /** Returns the number of the next part file; `finishFile` needs numbers without a gap. */
  async #nextIndex(): Promise<number> {
    const { folders } = this.#deps
    while ((await sizeOf(partPath(folders, this.#record.sid, this.#count))) !== undefined)
      this.#count += 1
    return this.#count
  }
}

/** Counts recorded time without skipped pauses; calls back once at the limit. */
class RecordedTime {
  readonly #clock: Clock
  readonly #limitMs: number | undefined
  readonly #onEnough: () => void
  #beforeMs = 0
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(clock: Clock, limitMs: number | undefined, onEnough: () => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#onEnough = onEnough
  }

  go(): void {
    this.#since = this.#clock.monotonic()
    if (this.#limitMs === undefined) return
    const leftMs = Math.max(0, this.#limitMs - this.#beforeMs)
    this.#timer = setTimeout(this.#onEnough, Math.min(leftMs, MAX_TIMER_MS))
  }

  halt(): void {
    clearTimeout(this.#timer)
    if (this.#since !== undefined) this.#beforeMs += this.#clock.monotonic() - this.#since
    this.#since = undefined
  }
}
