import { endedWithin } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import { maskSecrets } from '../../platform/mask-secrets.js'
import type { CallEventEntry, RecordedEvent } from './call-event.js'
import { type EventCursor, type EventPage, listEvents } from './event-storage.js'

export interface EventLog extends AsyncDisposable {
  append(entry: CallEventEntry): void
  /** Calls the listener with every entry from now on; the returned function unsubscribes. */
  onEvent(listener: (event: RecordedEvent) => void): () => void
  /** Resolves when everything appended so far is stored. */
  flush(): Promise<void>
  /** The events of the call so far, oldest first. */
  list(callSid: string, cursor: EventCursor, limit: number): Promise<EventPage>
}

const MAX_DETAIL_CHARS = 16_000
/**
 * The most entries that wait for the disk. The oldest are dropped when it cannot keep up, and the
 * log has their number.
 */
const MAX_PENDING = 20_000
/** The most entries of one commit. Behind a long queue of other writes, commits are scarce. */
const BATCH = 2_000
/** The most rows of one statement. */
const ROWS = 200
/**
 * The time that entries are gathered, so that a call's many small steps share one commit and one
 * disk flush.
 */
const GATHER_MS = 50
const LIST_WAITS_MS = 1_000

export function createEventLog(deps: { db: Database; clock: Clock; log: Logger }): EventLog {
  const { db, clock, log } = deps
  const listeners = new Set<(event: RecordedEvent) => void>()
  const pending: RecordedEvent[] = []
  let flushing: Promise<void> | undefined
  let gathering: NodeJS.Timeout | undefined
  let dropped = 0

  const writeAll = async (): Promise<void> => {
    while (pending.length > 0) {
      const batch = pending.splice(0, BATCH)
      try {
        await db.write(async (tx) => {
          for (let start = 0; start < batch.length; start += ROWS) {
            const rows = batch.slice(start, start + ROWS).map(toRow)
            await tx.insertInto('call_events').values(rows).execute()
          }
        }, 'read-committed')
      } catch (err) {
        log.error({ err, lost: batch.length }, 'call events could not be stored')
      }
    }
  }
  const begin = (): Promise<void> =>
    (flushing ??= writeAll().finally(() => {
      flushing = undefined
      if (pending.length > 0) void begin()
    }))
  const flush = async (): Promise<void> => {
    clearTimeout(gathering)
    gathering = undefined
    while (pending.length > 0 || flushing !== undefined) await begin()
  }

  return {
    append: (entry) => {
      const event: RecordedEvent = { ...entry, detail: masked(entry.detail), at: clock.now() }
      for (const listener of listeners) listener(event)
      pending.push(event)
      if (pending.length > MAX_PENDING) {
        pending.shift()
        dropped += 1
        if (dropped % 1_000 === 1) log.warn({ dropped }, 'the disk cannot keep up with call events')
      }
      gathering ??= setTimeout(() => {
        gathering = undefined
        void begin()
      }, GATHER_MS)
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    flush,
    list: async (callSid, cursor, limit) => {
      // Under load there is always more to store; a reader does not wait for that.
      await endedWithin(flush(), LIST_WAITS_MS)
      return listEvents(db.read, callSid, cursor, limit)
    },
    [Symbol.asyncDispose]: flush,
  }
}

/** Masks secrets in an entry. Every entry passes here, so its writer need not mask anything. */
function masked(detail: RecordedEvent['detail']): RecordedEvent['detail'] {
  return maskSecrets(detail) as RecordedEvent['detail'] // a copy of the same shape
}

function toRow(event: RecordedEvent) {
  const detail = JSON.stringify(event.detail)
  return {
    call_sid: event.callSid,
    account_sid: event.accountSid,
    at: event.at,
    kind: event.kind,
    detail:
      detail.length > MAX_DETAIL_CHARS
        ? JSON.stringify({ truncated: detail.slice(0, MAX_DETAIL_CHARS) })
        : detail,
  }
}
