import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The lateness of this thread's event loop. */
export interface LoopDelay extends AsyncDisposable {
  /** Returns the milliseconds that 99 % of the turns since the last call were late at most. */
  p99Ms(): number
}

const RESOLUTION_MS = 10

export function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    p99Ms: () => {
      // The histogram records the time from turn to turn, in nanoseconds.
      const late = delays.percentile(99) / 1e6 - RESOLUTION_MS
      delays.reset()
      return Math.max(0, Math.round(late * 10) / 10)
    },
    [Symbol.asyncDispose]: () => {
      delays.disable()
      return Promise.resolve()
    },
  }
}
