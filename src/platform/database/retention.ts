import { Pump } from '../async/pump.js'
import { systemClock } from '../clock.js'
import type { Logger } from '../log.js'

/** Interval between passes when nothing is left to remove, ms. */
const EVERY_MS = 60_000
/**
 * Delay before the first pass, and between passes while there is more, ms, so that calls get the disk first.
 */
const BETWEEN_MS = 200

export interface RetentionWork {
  /** Name of the rows for the log when a pass fails, such as `old events of calls`. */
  readonly name: string
  readonly log: Pick<Logger, 'error'>
  /** Removes the next few rows. Resolves with true when there may be more. */
  readonly removeSome: () => Promise<boolean>
}

/** Removes old rows, a few at a time, until disposed. A pass that rejects is logged and tried again. */
export function startRetention({ name, log, removeSome }: RetentionWork): AsyncDisposable {
  const now = () => systemClock.monotonic()
  let nextAt = now() + BETWEEN_MS
  const pump = new Pump({
    name,
    log,
    now,
    look: async () => {
      if (now() >= nextAt) {
        // Set first: a pass that fails waits as long as one that found nothing.
        nextAt = now() + EVERY_MS
        if (await removeSome()) nextAt = now() + BETWEEN_MS
      }
      return nextAt
    },
  })
  pump.wake()
  return pump
}
