import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import { removeEventsBefore } from './event-storage.js'

export interface EventRetentionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly days: number
}

const MS_PER_DAY = 86_400_000
const EVERY_MS = 60_000
/** Rows of one pass: a commit that nobody behind it notices. */
const ROWS = 500
/** Between passes while there is more; the disk is for calls first. */
const BETWEEN_MS = 200

/** Removes events that are older than so many days, a little at a time, until disposed. */
export function startEventRetention(deps: EventRetentionDeps): AsyncDisposable {
  let pass: Promise<void> = Promise.resolve()
  let isStopped = false
  const next = (ms: number) => setTimeout(begin, ms).unref()
  let timer = next(BETWEEN_MS)

  function begin(): void {
    pass = removeOld(deps).then((isMore) => {
      if (!isStopped) timer = next(isMore ? BETWEEN_MS : EVERY_MS)
    })
  }

  return {
    [Symbol.asyncDispose]: () => {
      isStopped = true
      clearTimeout(timer)
      return pass
    },
  }
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
