import { endedWithin } from '../../platform/async/limit.js'
import { Pump } from '../../platform/async/pump.js'
import { type Clock, systemClock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { StorageUnavailableError } from '../../platform/database/storage-error.js'
import type { Logger } from '../../platform/log.js'
import { maskSecrets } from '../../platform/mask-secrets.js'
import type { CallEventEntry, RecordedEvent } from './call-event.js'
import {
  type EventCursor,
  type EventPage,
  eventsAfter,
  lastEventId,
  listEvents,
  storeEvents,
} from './event-storage.js'

export interface EventLog extends AsyncDisposable {
  append(entry: CallEventEntry): void
  /**
   * Calls the listener with every entry of every node from now on, once each; the returned function
   * unsubscribes.
   */
  onEvent(listener: (event: RecordedEvent) => void): () => void
  /** Resolves when everything appended so far is stored, or the database refuses it. */
  flush(): Promise<void>
  /** The events of the call so far, oldest first. */
  list(callSid: string, cursor: EventCursor, limit: number): Promise<EventPage>
}

const LIST_WAITS_MS = 1_000

/** The interval at which events of other nodes are looked for. */
const EVERY_MS = 500
/** The most events of one look; another look follows at once when there are more. */
const AT_ONCE = 1_000

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

export function createEventLog(deps: { db: Database; clock: Clock; log: Logger }): EventLog {
  const { db, clock, log } = deps
  const listeners = new Set<(event: RecordedEvent) => void>()
  const writer = new EventWriter(db, log)
  let others: AsyncDisposable | undefined

  const tell = (event: RecordedEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const stopFollowing = async (): Promise<void> => {
    const following = others
    others = undefined
    await following?.[Symbol.asyncDispose]()
  }

  return {
    append: (entry) => {
      const event: RecordedEvent = { ...entry, detail: masked(entry.detail), at: clock.now() }
      tell(event)
      writer.add(event)
    },
    onEvent: (listener) => {
      listeners.add(listener)
      // An SQLite database has one node.
      if (db.engine === 'postgres') others ??= followOtherNodes(deps, tell)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) void stopFollowing()
      }
    },
    flush: () => writer.flush(),
    list: async (callSid, cursor, limit) => {
      // Under load there is always more to store; a reader does not wait for that.
      await endedWithin(writer.flush(), LIST_WAITS_MS)
      return listEvents(db.read, callSid, cursor, limit)
    },
    [Symbol.asyncDispose]: async () => {
      await stopFollowing()
      await writer[Symbol.asyncDispose]()
    },
  }
}

/** Stores entries in order, those of one moment in one commit; keeps them while nothing is stored. */
class EventWriter implements AsyncDisposable {
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
    callSid: event.callSid,
    accountSid: event.accountSid,
    node,
    at: event.at,
    kind: event.kind,
    detail:
      detail.length > MAX_DETAIL_CHARS
        ? JSON.stringify({ truncated: detail.slice(0, MAX_DETAIL_CHARS) })
        : detail,
  }
}

/**
 * Tells the events that other nodes store from now on, each once, until disposed. The ids of events
 * grow in the order of their commits, so none is passed over.
 */
function followOtherNodes(
  { db, log }: { readonly db: Database; readonly log: Logger },
  listener: (event: RecordedEvent) => void,
): AsyncDisposable {
  const now = () => systemClock.monotonic()
  let last: number | undefined
  const pump = new Pump({
    name: 'events of other nodes',
    log,
    now,
    look: async (signal) => {
      try {
        last ??= await lastEventId(db.read)
        const events = await eventsAfter(db.read, last, AT_ONCE)
        for (const { id, node, ...event } of signal.aborted ? [] : events) {
          last = id
          if (node !== db.node) listener(event)
        }
        return now() + (events.length === AT_ONCE ? 0 : EVERY_MS)
      } catch (err) {
        log.warn({ err }, 'could not read the events of other nodes')
        return now() + EVERY_MS
      }
    },
  })
  pump.wake()
  return pump
}

/** Masks secrets in an entry. Every entry passes here, so its writer need not mask anything. */
function masked(detail: RecordedEvent['detail']): RecordedEvent['detail'] {
  return maskSecrets(detail) as RecordedEvent['detail'] // a copy of the same shape
}
