/** The steps of the histogram of lateness: a tenth of a millisecond each, up to 100 ms. */
const STEPS_PER_MS = 10
const STEPS = 1000

export interface LatenessFigures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
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

  /** The upper edge of the step in which the share is reached. */
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
