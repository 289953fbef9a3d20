/** "Zero" repeats until the call ends, but not for ever (documented). */
const MOST_REPEATS = 1000

/** Times to play for a `loop` attribute. */
export function timesOf(loop: number): number {
  return loop === 0 ? MOST_REPEATS : Math.min(loop, MOST_REPEATS)
}
