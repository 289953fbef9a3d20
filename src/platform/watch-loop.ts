import type { Clock } from './clock.js'

/**
 * Interval of the check, ms: short enough to detect an overload within 250 ms, long enough to cost little.
 */
const EVERY_MS = 50

/** Calls `turned` every 50 ms with the delay of the event loop, ms. */
export function watchLoop(clock: Clock, turned: (lateMs: number) => void): Disposable {
  let due = clock.monotonic() + EVERY_MS
  const timer = setInterval(() => {
    const now = clock.monotonic()
    turned(Math.max(0, now - due))
    due = now + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
    },
  }
}
