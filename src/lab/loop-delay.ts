import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How late this thread's event loop is. */
export interface LoopDelay extends AsyncDisposable {
  /** Of 100 turns since it was last asked, 99 were at most so many milliseconds late. */
  p99Ms(): number
}

const RESOLUTION_MS = 10

export function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    p99Ms: () => {
      // What is recorded is the time from turn to turn, in nanoseconds.
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
