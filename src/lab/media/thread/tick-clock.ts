/**
 * The one 20 ms clock. Ticks are due at fixed times from the start, so lateness never adds up. A
 * timer ends shortly before a tick, and the rest (about a millisecond) is waited out exactly, since
 * timers only know whole milliseconds. Missed ticks are made up for, one a turn of the event loop,
 * so that the packets that came meanwhile are read in between. After a standstill of a second the
 * clock starts anew.
 */
import { performance } from 'node:perf_hooks'
import { FRAME_MS } from '../dsp/frame.js'
import { LatenessHistogram } from './lateness.js'

/** The time before a tick at which its timer ends. */
const LEAD_MS = 1
const STANDSTILL_MS = 1000

export class TickClock {
  readonly lateness = new LatenessHistogram()
  readonly #onTick: (nowMs: number) => void
  readonly #never = new Int32Array(new SharedArrayBuffer(4))
  #dueMs = 0
  #ticks = 0
  #cancel: () => void = nothing

  constructor(onTick: (nowMs: number) => void) {
    this.#onTick = onTick
  }

  get ticks(): number {
    return this.#ticks
  }

  start(): void {
    this.#dueMs = performance.now() + FRAME_MS
    this.#arm()
  }

  stop(): void {
    this.#cancel()
  }

  #arm(): void {
    const untilDue = this.#dueMs - performance.now()
    if (untilDue < -STANDSTILL_MS) this.#dueMs = performance.now()
    if (untilDue <= 0) {
      const turn = setImmediate(this.#run)
      this.#cancel = () => {
        clearImmediate(turn)
      }
      return
    }
    const timer = setTimeout(this.#run, Math.max(0, untilDue - LEAD_MS))
    this.#cancel = () => {
      clearTimeout(timer)
    }
  }

  readonly #run = (): void => {
    const early = this.#dueMs - performance.now()
    if (early > 0) Atomics.wait(this.#never, 0, 0, early)
    const now = performance.now()
    this.lateness.add(now - this.#dueMs)
    this.#ticks++
    this.#dueMs += FRAME_MS
    this.#onTick(now)
    this.#arm()
  }
}

function nothing(): void {
  // not started yet
}
