/**
 * The shared 20 ms clock. Ticks are due at fixed times from the start, so that lateness does not
 * add up. A timer fires shortly before a tick; the remaining time (about a millisecond) is a busy
 * wait, since timers have a resolution of whole milliseconds. Missed ticks run later, one per
 * event-loop iteration, so that pending packets are read in between. After a delay of a second the
 * clock restarts.
 */
import { performance } from 'node:perf_hooks'
import { FRAME_MS } from '../dsp/frame.js'

/** Time before a tick at which its timer fires, ms. */
const LEAD_MS = 1
const STANDSTILL_MS = 1000

/** Resolution of the lateness histogram: steps of 0.1 ms, up to 100 ms. */
const STEPS_PER_MS = 10
const STEPS = 1000

interface LatenessFigures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

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

export class LatenessHistogram {
  readonly #counts = new Uint32Array(STEPS + 1)
  #total = 0
  #max = 0

  add(lateMs: number): void {
    const late = Math.max(0, lateMs)
    const step = Math.min(STEPS, Math.floor(late * STEPS_PER_MS))
    this.#counts[step] = (this.#counts[step] ?? 0) + 1
    this.#total++
    if (late > this.#max) this.#max = late
  }

  /** Returns the figures since the last call. */
  takeFigures(): LatenessFigures {
    const figures = {
      p50: this.#percentile(0.5),
      p95: this.#percentile(0.95),
      p99: this.#percentile(0.99),
      max: this.#max,
    }
    this.#counts.fill(0)
    this.#total = 0
    this.#max = 0
    return figures
  }

  /** The upper edge of the histogram step that reaches the share. */
  #percentile(share: number): number {
    let seen = 0
    for (let step = 0; step <= STEPS; step++) {
      seen += this.#counts[step] ?? 0
      if (seen > 0 && seen >= share * this.#total)
        return Math.min(this.#max, (step + 1) / STEPS_PER_MS)
    }
    return 0
  }
}

function nothing(): void {
  // not started yet
}
