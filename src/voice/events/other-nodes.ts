import { Pump } from '../../platform/async/pump.js'
import { systemClock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { RecordedEvent } from './call-event.js'
import { eventsAfter, lastEventId } from './event-storage.js'

/** The interval at which events of other nodes are looked for. */
const EVERY_MS = 500
/** The most events of one look; another look follows at once when there are more. */
const AT_ONCE = 1_000

/**
 * Tells the events that other nodes store from now on, each once, until disposed. The ids of events
 * grow in the order of their commits, so none is passed over.
 */
export function followOtherNodes(
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
