/** Measures clean speech: where it starts and ends, and how long the pauses in it are. */
import { power, RATE } from './signals.js'
import type { Samples } from './speech.js'

const FRAME = RATE / 50
/** Sound within this many dB of the loudest 100 ms is speech. */
const DEPTH_DB = 30
const LOUD_FRAMES = 5

export interface Burst {
  /** The speech without the silence around it. */
  readonly samples: Samples
  readonly ms: number
  readonly longestPauseMs: number
}

/** Returns the speech of a recording, or undefined when it holds none. */
export function burstOf(samples: Samples): Burst | undefined {
  const levels: number[] = []
  for (let at = 0; at + FRAME <= samples.length; at += FRAME)
    levels.push(10 * Math.log10(power(samples, at, at + FRAME) + 1e-10))
  const loud = levels.toSorted((a, b) => b - a)[LOUD_FRAMES] ?? -100
  if (loud < -55) return undefined
  const isActive = levels.map((one) => one > loud - DEPTH_DB)
  const first = isActive.indexOf(true)
  const last = isActive.lastIndexOf(true)
  const cut = samples.subarray(first * FRAME, (last + 1) * FRAME)
  let pause = 0
  let longest = 0
  for (let i = first; i <= last; i++) {
    pause = isActive[i] === true ? 0 : pause + 1
    longest = Math.max(longest, pause)
  }
  return { samples: cut, ms: (cut.length * 1000) / RATE, longestPauseMs: longest * 20 }
}
