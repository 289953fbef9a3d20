import type { Clock } from './clock.js'

/** Often enough to see an overload within a quarter of a second, seldom enough to cost nothing. */
const EVERY_MS = 50

/** Tells `turned`, twenty times a second, the milliseconds by which the event loop was late. */
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
