import { setTimeout as delay } from 'node:timers/promises'

/** What a timer can count to; beyond, it would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Settles as the work does, or with `onLimit()` when the work takes longer than `limitMs`. */
export async function withLimit<T>(
  work: Promise<T>,
  limitMs: number,
  onLimit: () => T,
): Promise<T> {
  const cancel = new AbortController()
  const limit = delay(Math.min(limitMs, LONGEST_TIMER_MS), undefined, {
    signal: cancel.signal,
  }).then(onLimit)
  // Its only failure is our own cancel.
  limit.catch(() => undefined)
  try {
    return await Promise.race([work, limit])
  } finally {
    cancel.abort()
  }
}

/** Resolves after that long, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (err) {
    if (!signal.aborted) throw err
  }
}
