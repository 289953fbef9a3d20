import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Returns wall-clock time, epoch ms: for timestamps. */
  now(): number
  /** Returns monotonic time, ms: for durations and limits. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
