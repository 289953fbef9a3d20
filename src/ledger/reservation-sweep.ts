import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import type { Logger } from '../platform/log.js'
import { releaseExpired } from './reservations.js'

/** The reservations that one pass releases. */
const AT_ONCE = 100

/** Releases the reservations of nodes that do not come back, once a minute until disposed. */
export function startReservationSweep({
  db,
  clock,
  log,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}): AsyncDisposable {
  return startRetention({
    name: 'reservations of lost calls',
    log,
    removeSome: async () => {
      const now = clock.now()
      const released = await db.write((tx) => releaseExpired(tx, now, AT_ONCE))
      if (released > 0) log.warn({ released }, 'released reservations of lost calls')
      return released === AT_ONCE
    },
  })
}
