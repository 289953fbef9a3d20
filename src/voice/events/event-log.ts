import { endedWithin } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import { maskSecrets } from '../../platform/mask-secrets.js'
import type { CallEventEntry, RecordedEvent } from './call-event.js'
import { type EventCursor, type EventPage, listEvents } from './event-storage.js'
import { EventWriter } from './event-writer.js'
import { followOtherNodes } from './other-nodes.js'

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

/** Masks secrets in an entry. Every entry passes here, so its writer need not mask anything. */
function masked(detail: RecordedEvent['detail']): RecordedEvent['detail'] {
  return maskSecrets(detail) as RecordedEvent['detail'] // a copy of the same shape
}
