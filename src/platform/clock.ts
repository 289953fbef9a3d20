import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Returns the wall clock, epoch milliseconds: for times that people read. */
  now(): number
  /** Returns milliseconds that never jump: for durations and limits. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
