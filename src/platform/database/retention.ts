import { Pump } from '../async/pump.js'
import { systemClock } from '../clock.js'

/** The time between looks when nothing is left to remove. */
const EVERY_MS = 60_000
/**
 * The time before the first pass, and between passes while there is more, so that calls get the
 * disk first.
 */
const BETWEEN_MS = 200

/**
 * Removes old rows, a few at a time, until disposed. A pass says whether there may be more and
 * never rejects.
 */
export function startRetention(removeSome: () => Promise<boolean>): AsyncDisposable {
  const now = () => systemClock.monotonic()
  let nextAt = now() + BETWEEN_MS
  const pump = new Pump({
    now,
    look: async () => {
      if (now() >= nextAt) {
        const isMore = await removeSome()
        nextAt = now() + (isMore ? BETWEEN_MS : EVERY_MS)
      }
      return nextAt
    },
  })
  pump.wake()
  return pump
}
