import { SerialQueue } from '../../platform/async/serial-queue.js'
import type { LegRecording } from '../telephony/leg-media.js'
import { commitRecording, completeRecording, type RecordingDeps } from './complete-recording.js'
import { RecordedTime } from './recorded-time.js'
import { NotEligibleForRecordingError } from './recording-errors.js'
import { mediaServerPath } from './recording-files.js'
import {
  RECORDING,
  type Recorder,
  type RecorderEffect,
  type RecorderEvent,
  statusOf,
  step,
} from './recording-machine.js'
import type { RecordingRecord } from './recording-record.js'

/** The audio of a leg, or of a room, which is paused by ending its file. */
export interface RecordedAudio {
  record(path: string, options: { readonly channels: 'mono' | 'stereo' }): Promise<RecordedPart>
}

type RecordedPart = Pick<LegRecording, 'stop'> & Partial<LegRecording>

/**
 * Owns one recording on one leg or room: takes one event at a time, commits, then does what it says. However
 * it ends, `finished` resolves, once, with the recording as it is stored for good.
 */
export class LiveRecording {
  readonly finished: Promise<RecordingRecord>
  readonly #deps: RecordingDeps
  readonly #audio: RecordedAudio
  readonly #time: RecordedTime
  readonly #now: {
    record: RecordingRecord
    recorder: Recorder
    part: RecordedPart | undefined
    parts: number
    failure: unknown
  }
  readonly #turns = new SerialQueue()
  #finish: (recording: RecordingRecord) => void = () => undefined

  constructor(record: RecordingRecord, audio: RecordedAudio, deps: RecordingDeps) {
    this.#deps = deps
    this.#audio = audio
    this.#now = { record, recorder: RECORDING, part: undefined, parts: 0, failure: undefined }
    this.#time = new RecordedTime(deps.clock, record.maxMs, () => {
      void this.stop()
    })
    this.finished = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get record(): RecordingRecord {
    return this.#now.record
  }

  /** Resolves when audio is recorded, or with an absent recording when it cannot be. */
  begin(): Promise<RecordingRecord> {
    return this.#turns.run(async () => {
      try {
        await this.#beginPart()
      } catch (err) {
        this.#now.failure = err
        this.#now.recorder = { state: 'stopped' }
        return await this.#complete()
      }
      await this.#commit('in-progress')
      return this.record
    })
  }

  /** Rejects with NotEligibleForRecordingError when it has been stopped. */
  change(event: RecorderEvent): Promise<RecordingRecord> {
    return this.#turns.run(async () => {
      const next = step(this.#now.recorder, event)
      if (next.effects.some(({ type }) => type === 'refuse'))
        throw new NotEligibleForRecordingError()
      if (next.state === this.#now.recorder) return this.record
      this.#now.recorder = next.state
      this.#now.record = { ...this.record, status: statusOf(next.state) }
      await this.#commit('nothing')
      for (const effect of next.effects) await this.#perform(effect)
      return this.record
    })
  }

  /** Resolves with its end; also when it was stopped before. */
  stop(): Promise<RecordingRecord> {
    // Stopping is never refused.
    void this.change({ type: 'stop' })
    return this.finished
  }

  /** A full disk must not keep a recorder from doing as it is told: its end is stored in any case. */
  async #commit(event: 'in-progress' | 'nothing'): Promise<void> {
    try {
      this.#now.record = await commitRecording(this.record, event, this.#deps)
    } catch (err) {
      this.#deps.log.error({ err, recordingSid: this.record.sid }, 'a recording was not stored')
    }
  }

  async #perform(effect: RecorderEffect): Promise<void> {
    try {
      switch (effect.type) {
        case 'mask':
          await this.#now.part?.pause?.()
          return
        case 'unmask':
          await this.#now.part?.resume?.()
          return
        case 'end-part':
          await this.#endPart()
          return
        case 'begin-part':
          await this.#beginPart()
          return
        case 'finish':
          // Beside the queue: whoever stops it does not wait for the file.
          void this.#complete()
          return
        case 'refuse':
          return // thrown at whoever asked
      }
    } catch (err) {
      const { sid, callSid } = this.record
      this.#deps.log.warn(
        { err, effect: effect.type, callSid, recordingSid: sid },
        'a recorder did not obey',
      )
    }
  }

  async #beginPart(): Promise<void> {
    const { record, parts } = this.#now
    const path = mediaServerPath(this.#deps.folders, record.sid, parts)
    this.#now.parts += 1
    const channels = record.channels === 'dual' ? 'stereo' : 'mono'
    this.#now.part = await this.#audio.record(path, { channels })
    this.#time.go()
  }

  async #endPart(): Promise<void> {
    this.#time.halt()
    const { part } = this.#now
    this.#now.part = undefined
    await part?.stop()
  }

  async #complete(): Promise<RecordingRecord> {
    try {
      await this.#endPart()
    } catch (err) {
      this.#now.failure ??= err
    }
    this.#now.record = { ...this.record, status: 'processing' }
    await this.#commit('nothing')
    this.#now.record = await completeRecording(this.record, this.#now.failure, this.#deps)
    this.#finish(this.record)
    return this.record
  }
}
