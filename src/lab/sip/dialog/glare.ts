/** Unit of the random wait, ms (RFC 3261 §14.1). */
const UNIT_MS = 10
const WINDOWS = { us: { from: 2_100, to: 4_000 }, them: { from: 0, to: 2_000 } } as const

/**
 * Delay after a 491 until our re-INVITE is retried, ms (RFC 3261 §14.1). The side that created the
 * Call-ID waits longer, so that the two do not collide again. `random` returns numbers in [0, 1).
 */
export function afterGlareMs(callIdOf: 'us' | 'them', random: () => number): number {
  const { from, to } = WINDOWS[callIdOf]
  const steps = (to - from) / UNIT_MS + 1
  return from + Math.floor(random() * steps) * UNIT_MS
}
