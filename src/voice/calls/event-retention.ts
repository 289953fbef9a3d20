import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { startRetention } from '../../platform/database/retention.js'
import type { Logger } from '../../platform/log.js'
import { removeEventsBefore } from './event-storage.js'

export interface EventRetentionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly days: number
}

const MS_PER_DAY = 86_400_000
/** Rows of one pass: a commit that nobody behind it notices. */
const ROWS = 500
/** Removes events that are older than so many days, a little at a time, until disposed. */
export function startEventRetention(deps: EventRetentionDeps): AsyncDisposable {
  return startRetention(() => removeOld(deps))
}

/** One pass; says whether there may be more to remove. */
export async function removeOld({ db, clock, log, days }: EventRetentionDeps): Promise<boolean> {
  try {
    const before = clock.now() - days * MS_PER_DAY
    return await db.write((tx) => removeEventsBefore(tx, before, ROWS))
  } catch (err) {
    log.error({ err }, 'old call events could not be removed')
    return false
  }
}
