import { setTimeout as delay } from 'node:timers/promises'

/** Settles as the work does, or with `onLimit()` when the work takes longer than `limitMs`. */
export async function withLimit<T>(
  work: Promise<T>,
  limitMs: number,
  onLimit: () => T,
): Promise<T> {
  const cancel = new AbortController()
  const limit = delay(limitMs, undefined, { signal: cancel.signal }).then(onLimit)
  // Its only failure is our own cancel.
  limit.catch(() => undefined)
  try {
    return await Promise.race([work, limit])
  } finally {
    cancel.abort()
  }
}
