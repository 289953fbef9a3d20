import { endedWithin } from '../../platform/async/limit.js'
import { SerialQueue } from '../../platform/async/serial-queue.js'
import { pause } from '../../platform/async/sleep.js'
import {
  commitRecording,
  completeRecording,
  endDeleted,
  type RecordingDeps,
} from './complete-recording.js'
import { isOver, type RecordingRecord } from './recording-record.js'
import { findRecording } from './recording-storage.js'

/** First delay between two tries, ms; it doubles for each further try. */
const FIRST_WAIT_MS = 1_000
const LAST_WAIT_MS = 5 * 60_000
const DISPOSE_LIMIT_MS = 5_000
/** Error number of a failed media server or disk. */
const INTERNAL_FAILURE = 12400

interface Waiting {
  readonly recording: RecordingRecord
  readonly failure: unknown
}

/**
 * Owns the recordings whose audio has ended and whose file does not fit on a full disk. Their parts
 * stay. Each is retried, one at a time, until its file is made, it is deleted, or its time limit
 * has passed. Those still waiting at shutdown stay `processing`, and the next process recovers
 * them.
 */
export class WaitingRecordings implements AsyncDisposable {
  readonly #deps: RecordingDeps
  readonly #waiting = new Map<string, Waiting>()
  readonly #turns = new SerialQueue()
  readonly #over = new AbortController()

  constructor(deps: RecordingDeps) {
    this.#deps = deps
  }

  has(sid: string): boolean {
    return this.#waiting.has(sid)
  }

  /**
   * Completes a recording whose audio has ended. Resolves with its end, or in `processing` when it
   * has to wait for disk space.
   */
  async complete(recording: RecordingRecord, failure: unknown): Promise<RecordingRecord> {
    const over = recording.status === 'processing' ? recording : await this.#store(recording)
    const completed = await completeRecording(over, failure, this.#deps)
    if (!isOver(completed)) this.#wait(completed, failure)
    return completed
  }

  /** Retries a waiting recording at once; after its deletion it no longer waits. */
  async tryNow(sid: string): Promise<void> {
    await this.#turns.run(async () => {
      const waiting = this.#waiting.get(sid)
      if (waiting === undefined) return
      if (isOver(await this.#try(waiting))) this.#waiting.delete(sid)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(new Error('the process ends'))
    // A copy in progress is abandoned after the limit: the parts are intact.
    await endedWithin(
      this.#turns.run(() => Promise.resolve()),
      DISPOSE_LIMIT_MS,
    )
  }

  #wait(recording: RecordingRecord, failure: unknown): void {
    const { events, log } = this.#deps
    const { sid, callSid, accountSid } = recording
    log.warn({ callSid, recordingSid: sid }, 'a recording waits for space on the disk')
    const message = `the recording ${sid} waits for space on the disk`
    const detail = { code: INTERNAL_FAILURE, message, recordingSid: sid } as const
    events.append({ callSid, accountSid, kind: 'warning', detail })
    this.#waiting.set(sid, { recording, failure })
    void this.#keepTrying(sid)
  }

  /** Stores the end of the audio; the time limit counts from it. */
  async #store(recording: RecordingRecord): Promise<RecordingRecord> {
    const over = { ...recording, status: 'processing', updatedAt: this.#deps.clock.now() } as const
    try {
      return await commitRecording(over, 'nothing', this.#deps)
    } catch (err) {
      // The database may be on the full disk: the recording is completed all the same.
      this.#deps.log.error({ err, recordingSid: recording.sid }, 'a recording was not stored')
      return over
    }
  }

  async #keepTrying(sid: string): Promise<void> {
    const { signal } = this.#over
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LAST_WAIT_MS)) {
      await pause(waitMs, signal)
      if (signal.aborted || !this.#waiting.has(sid)) return
      try {
        await this.tryNow(sid)
      } catch (err) {
        this.#deps.log.error({ err, recordingSid: sid }, 'a waiting recording was not tried')
      }
    }
  }

  async #try({ recording, failure }: Waiting): Promise<RecordingRecord> {
    const { sid, accountSid } = recording
    const known = await findRecording(this.#deps.db.read, accountSid, sid)
    if (known === undefined) return await endDeleted(recording, this.#deps)
    return await completeRecording(recording, failure, this.#deps)
  }
}
