import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Wall clock, epoch milliseconds: for what people read. */
  now(): number
  /** Milliseconds that never jump: for durations and limits. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
