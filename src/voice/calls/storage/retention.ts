/** Deletes old events of calls, a few rows at a time. */
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import { startRetention } from '../../../platform/database/retention.js'
import { removeOldRequests } from '../../../platform/idempotency/kept-requests.js'
import type { Logger } from '../../../platform/log.js'
import { removeEventsBefore } from '../../events/event-storage.js'

export interface RetentionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  /** The number of days that events are kept. */
  readonly days: number
}

const MS_PER_DAY = 86_400_000
/** Rows deleted per pass, few enough that other commits are not delayed. */
const ROWS = 500

/** Deletes old rows at intervals until disposed. */
export function startCallRetention(deps: RetentionDeps): AsyncDisposable {
  return startRetention({
    name: 'old events of calls',
    log: deps.log,
    removeSome: () => removeOld(deps),
  })
}

/** Deletes the rows of one pass; resolves with true when more may be left. */
export async function removeOld({ db, clock, days }: Omit<RetentionDeps, 'log'>): Promise<boolean> {
  const now = clock.now()
  return await db.write(async (tx) => {
    const isMore = await removeOldRequests(tx, now, ROWS)
    return (await removeEventsBefore(tx, now - days * MS_PER_DAY, ROWS)) || isMore
  })
}
