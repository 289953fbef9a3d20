import type { EventEmitter } from 'node:events'
import { type Clock, systemClock } from '../platform/clock.js'

/** Signals that stop the process: at once, or after its calls. */
export interface StopSignals {
  /** Resolves at the first signal: SIGTERM lets calls finish, SIGINT (Ctrl-C) does not. */
  readonly first: Promise<'drain' | 'at-once'>
  /** Aborts at the second signal. */
  readonly hurry: AbortSignal
}

/**
 * Time in which a repeated signal counts as a duplicate, ms: npm forwards signals, and a signal to the process
 * group arrives here as well.
 */
const COPY_MS = 1_000

/** Handles SIGTERM and SIGINT. A third signal ends the process at once. */
export function listenForStopSignals(
  source: Pick<EventEmitter, 'on'> = process,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): StopSignals {
  const hurry = new AbortController()
  let count = 0
  let last: { readonly signal: string; readonly at: number } | undefined
  const first = new Promise<'drain' | 'at-once'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      source.on(signal, () => {
        const at = clock.monotonic()
        if (last?.signal === signal && at - last.at < COPY_MS) return
        last = { signal, at }
        count += 1
        if (count === 1) resolve(signal === 'SIGTERM' ? 'drain' : 'at-once')
        else if (count === 2) hurry.abort()
        else process.exit(1)
      })
  })
  return { first, hurry: hurry.signal }
}
