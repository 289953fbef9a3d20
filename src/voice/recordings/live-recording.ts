import { SerialQueue } from '../../platform/async/serial-queue.js'
import { pause } from '../../platform/async/sleep.js'
import { LegEndedError } from '../telephony/port.js'
import { commitRecording, type RecordingDeps } from './complete-recording.js'
import { type RecordedAudio, RecordedParts } from './recorded-parts.js'
import { NotEligibleForRecordingError } from './recording-errors.js'
import {
  RECORDING,
  type Recorder,
  type RecorderEffect,
  type RecorderEvent,
  statusOf,
  step,
} from './recording-machine.js'
import type { RecordingRecord } from './recording-record.js'
import type { WaitingRecordings } from './waiting-recordings.js'

/** First delay before a lost recording is resumed, ms; it doubles for each further try. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000

class RecordingOverError extends Error {
  override readonly name = 'RecordingOverError'
}

/**
 * Owns one recording of a leg or room: takes one event at a time, commits, then performs the
 * effects. `finished` resolves once, with the stored recording in its final state, or in
 * `processing` while its file waits for disk space.
 */
export class LiveRecording {
  readonly finished: Promise<RecordingRecord>
  readonly #deps: RecordingDeps
  readonly #waiting: WaitingRecordings
  readonly #parts: RecordedParts
  readonly #turns = new SerialQueue()
  readonly #over = new AbortController()
  #record: RecordingRecord
  #recorder: Recorder = RECORDING
  /** The first error that kept audio from being recorded. */
  #failure: unknown
  #finish: (recording: RecordingRecord) => void = () => undefined

  constructor(
    record: RecordingRecord,
    audio: RecordedAudio,
    deps: RecordingDeps,
    waiting: WaitingRecordings,
  ) {
    const { clock, folders } = deps
    this.#deps = deps
    this.#waiting = waiting
    this.#record = record
    this.#parts = new RecordedParts(record, audio, {
      clock,
      folders,
      listener: {
        onFull: () => {
          void this.stop()
        },
        onLost: () => {
          void this.#goOn()
        },
      },
    })
    this.finished = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get record(): RecordingRecord {
    return this.#record
  }

  /**
   * Stores the recording and starts it; events that arrive meanwhile follow. Resolves once audio is
   * recorded, or with an absent recording when that is impossible. Rejects when `store` does.
   */
  begin(store: () => Promise<void>): Promise<RecordingRecord> {
    return this.#turns.run(async () => {
      try {
        await store()
      } catch (err) {
        this.#recorder = { state: 'stopped' }
        this.#finish({ ...this.#record, status: 'absent' })
        throw err
      }
      try {
        await this.#parts.begin()
      } catch (err) {
        // A call that ended at once has no audio, which is not a failure.
        if (!(err instanceof LegEndedError)) this.#failure = err
        this.#recorder = { state: 'stopped' }
        return await this.#complete()
      }
      await this.#commit('in-progress')
      return this.#record
    })
  }

  /** Changes the recording. Rejects with NotEligibleForRecordingError after its stop. */
  change(event: RecorderEvent): Promise<RecordingRecord> {
    return this.#turns.run(async () => {
      const next = step(this.#recorder, event)
      if (next.effects.some(({ type }) => type === 'refuse'))
        throw new NotEligibleForRecordingError()
      if (next.state === this.#recorder) return this.#record
      this.#recorder = next.state
      this.#record = { ...this.#record, status: statusOf(next.state) }
      await this.#commit('nothing')
      for (const effect of next.effects) await this.#perform(effect)
      return this.#record
    })
  }

  /** Stops the recording; resolves with its end, also when it was stopped before. */
  stop(): Promise<RecordingRecord> {
    // The state machine never refuses a stop.
    void this.change({ type: 'stop' })
    return this.finished
  }

  /** Stores the record; only logs a failure, since a full disk must not prevent a pause or stop. */
  async #commit(event: 'in-progress' | 'nothing'): Promise<void> {
    try {
      this.#record = await commitRecording(this.#record, event, this.#deps)
    } catch (err) {
      this.#deps.log.error({ err, recordingSid: this.#record.sid }, 'a recording was not stored')
    }
  }

  async #perform({ type }: RecorderEffect): Promise<void> {
    try {
      switch (type) {
        case 'mask':
          await this.#parts.mask()
          return
        case 'unmask':
          await this.#parts.unmask()
          return
        case 'end-part':
          await this.#parts.end()
          return
        case 'begin-part':
          await this.#parts.begin()
          return
        case 'finish':
          // The file is made in the background: a request to stop the recording does not wait for
          // it.
          void this.#complete()
          return
        case 'refuse':
          return // `change` has thrown
      }
    } catch (err) {
      const { sid, callSid } = this.#record
      const ids = { callSid, recordingSid: sid }
      this.#deps.log.warn({ err, effect: type, ...ids }, 'a recorder command failed')
    }
  }

  /** Starts a new part as soon as the media server accepts one, after it dropped the last. */
  async #goOn(): Promise<void> {
    const { signal } = this.#over
    let retryMs = FIRST_RETRY_MS
    for (let isOver = false; !isOver; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
      await pause(retryMs, signal)
      if (signal.aborted) return
      isOver = await this.#turns.run(() => this.#beginAgain())
    }
  }

  /** Tries once to start a part; false when another attempt may succeed. */
  async #beginAgain(): Promise<boolean> {
    const { state } = this.#recorder
    if (this.#parts.isWriting || (state !== 'recording' && state !== 'masked')) return true
    try {
      await this.#parts.begin()
      if (state === 'masked') await this.#parts.mask()
      const { callSid, sid } = this.#record
      this.#deps.log.warn({ callSid, recordingSid: sid }, 'resumed an interrupted recording')
      return true
    } catch (err) {
      if (err instanceof LegEndedError) return true
      this.#failure ??= err
      return false
    }
  }

  async #complete(): Promise<RecordingRecord> {
    this.#over.abort(new RecordingOverError('the recording is over'))
    try {
      await this.#parts.end()
    } catch (err) {
      this.#failure ??= err
    }
    const updatedAt = this.#deps.clock.now()
    this.#record = { ...this.#record, status: 'processing', updatedAt }
    await this.#commit('nothing')
    this.#record = await this.#waiting.complete(this.#record, this.#failure)
    this.#finish(this.#record)
    return this.#record
  }
}
