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
  eventsOfKind,
  lastEventId,
  listEvents,
  type StoredEvent,
  storeEvents,
} from './event-storage.js'

export interface EventLog extends AsyncDisposable {
  append(entry: CallEventEntry): void
  /**
   * Calls the listener once for each new entry of every node; the returned function unsubscribes.
   */
  onEvent(listener: (event: RecordedEvent) => void): () => void
  /** Calls the listener once for each new entry of this node; the returned function unsubscribes. */
  onOwnEvent(listener: (event: RecordedEvent) => void): () => void
  /** Resolves once every entry appended so far is stored, or the database has refused it. */
  flush(): Promise<void>
  /** Resolves with the call's events, oldest first. */
  list(callSid: string, cursor: EventCursor, limit: number): Promise<EventPage>
  /** Resolves with the call's newest events of one kind, oldest first. */
  ofKind(
    callSid: string,
    kind: RecordedEvent['kind'],
    limit: number,
  ): Promise<readonly StoredEvent[]>
}

const LIST_WAITS_MS = 1_000

/** Interval between polls for events of other nodes, ms. */
const EVERY_MS = 500
/** Maximum number of events per poll; a full poll is followed by another at once. */
const AT_ONCE = 1_000

const MAX_DETAIL_CHARS = 16_000
/**
 * Maximum number of entries that wait to be stored. Beyond it the oldest are dropped, and their
 * number is logged.
 */
const MAX_PENDING = 20_000
/** Maximum number of entries in one commit; under load commits are slow to come. */
const BATCH = 2_000
/**
 * Time to collect entries before a commit, ms, so that the events of a call share one disk flush.
 */
const GATHER_MS = 50
/** Delay before the next try after the database refused entries, ms. */
const RETRY_MS = 1_000

export function createEventLog(deps: { db: Database; clock: Clock; log: Logger }): EventLog {
  const { db, clock, log } = deps
  const listeners = new Set<(event: RecordedEvent) => void>()
  const ownListeners = new Set<(event: RecordedEvent) => void>()
  const writer = new EventWriter(db, log)
  let others: AsyncDisposable | undefined

  const notify = (event: RecordedEvent): void => {
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
      notify(event)
      for (const listener of ownListeners) listener(event)
      writer.add(event)
    },
    onOwnEvent: (listener) => {
      ownListeners.add(listener)
      return () => {
        ownListeners.delete(listener)
      }
    },
    onEvent: (listener) => {
      listeners.add(listener)
      // An SQLite database has one node.
      if (db.engine === 'postgres') others ??= followOtherNodes(deps, notify)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) void stopFollowing()
      }
    },
    flush: () => writer.flush(),
    list: async (callSid, cursor, limit) => {
      // Under load the queue never empties, so a reader waits for a limited time only.
      await endedWithin(writer.flush(), LIST_WAITS_MS)
      return listEvents(db.read, callSid, cursor, limit)
    },
    ofKind: async (callSid, kind, limit) => {
      await endedWithin(writer.flush(), LIST_WAITS_MS)
      return eventsOfKind(db.read, callSid, kind, limit)
    },
    [Symbol.asyncDispose]: async () => {
      await stopFollowing()
      await writer[Symbol.asyncDispose]()
    },
  }
}

/** Stores entries in order and in batches; queues entries while a commit runs. */
class EventWriter implements AsyncDisposable {
  readonly #db: Database
  readonly #log: Logger
  #pending: RecordedEvent[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #dropped = 0
  /** True from a write that the database refused until one that it accepts. */
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

  /** Resolves once every entry added so far is stored, or the database has refused it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#writing !== undefined) await this.#writing
    if (this.#pending.length > 0) await this.#begin()
  }

  /** Tries once to store the remaining entries. */
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
 * Polls for events that other nodes store and notifies the listener once of each, until disposed.
 * Ids grow in commit order, so no event is missed.
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

/** Returns the details with secrets masked. Every entry passes here, so callers need not mask. */
function masked(detail: RecordedEvent['detail']): RecordedEvent['detail'] {
  return maskSecrets(detail) as RecordedEvent['detail'] // a copy of the same shape
}
