/** Number of repeats for `loop="0"`, which means "until the call ends" (documented). */
const MOST_REPEATS = 1000

/** Returns how often to play for a `loop` attribute. */
export function timesOf(loop: number): number {
  return loop === 0 ? MOST_REPEATS : Math.min(loop, MOST_REPEATS)
}
