import type { Database } from '../../platform/database/database.js'
import { StorageUnavailableError } from '../../platform/database/storage-error.js'
import type { Logger } from '../../platform/log.js'
import type { RecordedEvent } from './call-event.js'
import { storeEvents } from './event-storage.js'

const MAX_DETAIL_CHARS = 16_000
/**
 * The most entries that wait for the disk. The oldest are dropped when it cannot keep up, and the
 * log has their number.
 */
const MAX_PENDING = 20_000
/** The most entries of one commit. Behind a long queue of other writes, commits are scarce. */
const BATCH = 2_000
/**
 * The time that entries are gathered, so that a call's many small steps share one commit and one
 * disk flush.
 */
const GATHER_MS = 50
/** The time after which entries are stored that the database could not take. */
const RETRY_MS = 1_000

/** Stores entries in order, those of one moment in one commit; keeps them while nothing is stored. */
export class EventWriter implements AsyncDisposable {
  readonly #db: Database
  readonly #log: Logger
  #pending: RecordedEvent[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #dropped = 0
  /** True after a write that the database refused, until it takes one. */
  #isRefused = false
  #isClosed = false

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  add(event: RecordedEvent): void {
    this.#pending.push(event)
    this.#dropBeyondLimit()
    this.#later(this.#isRefused ? RETRY_MS : GATHER_MS)
  }

  /** Resolves when everything that was added so far is stored, or the database refuses it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#writing !== undefined) await this.#writing
    if (this.#pending.length > 0) await this.#begin()
  }

  /** Stores what is left, if the database takes it now. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  #later(ms: number): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#begin()
    }, ms)
  }

  #begin(): Promise<void> {
    return (this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      if (this.#pending.length === 0) return
      if (this.#isRefused) this.#later(RETRY_MS)
      else void this.#begin()
    }))
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH)
      try {
        await storeEvents(
          this.#db,
          batch.map((event) => rowOf(event, this.#db.node)),
        )
        this.#isRefused = false
      } catch (err) {
        if (!(err instanceof StorageUnavailableError)) {
          this.#log.error({ err, lost: batch.length }, 'call events could not be stored')
          continue
        }
        if (!this.#isRefused) this.#log.warn({ err }, 'call events wait for the database')
        this.#isRefused = true
        this.#pending = [...batch, ...this.#pending]
        this.#dropBeyondLimit()
        return
      }
    }
  }

  #dropBeyondLimit(): void {
    while (this.#pending.length > MAX_PENDING) {
      this.#pending.shift()
      this.#dropped += 1
      if (this.#dropped % 1_000 === 1)
        this.#log.warn({ dropped: this.#dropped }, 'the disk cannot keep up with call events')
    }
  }
}

function rowOf(event: RecordedEvent, node: string) {
  const detail = JSON.stringify(event.detail)
  return {
    call_sid: event.callSid,
    account_sid: event.accountSid,
    node,
    at: event.at,
    kind: event.kind,
    detail:
      detail.length > MAX_DETAIL_CHARS
        ? JSON.stringify({ truncated: detail.slice(0, MAX_DETAIL_CHARS) })
        : detail,
  }
}
