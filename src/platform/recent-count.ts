const SLOT_MS = 10
const SLOTS = 100

/**
 * Counts what happened in the last second, to ten milliseconds. It needs the same memory however much
 * happens. Pure: the caller brings the time.
 */
export class RecentCount {
  readonly #slots = new Uint32Array(SLOTS)
  /** The last slot, counted from the beginning of time. */
  #last = 0

  add(now: number): void {
    this.#advance(now)
    const at = this.#last % SLOTS
    this.#slots[at] = (this.#slots[at] ?? 0) + 1
  }

  /** The number of the last `ms` milliseconds, at most a second. */
  of(ms: number, now: number): number {
    this.#advance(now)
    let sum = 0
    for (let back = 0; back < Math.min(SLOTS, ms / SLOT_MS); back += 1)
      sum += this.#slots[(this.#last - back + SLOTS) % SLOTS] ?? 0
    return sum
  }

  #advance(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    for (let empty = Math.max(this.#last + 1, slot - SLOTS + 1); empty <= slot; empty += 1)
      this.#slots[empty % SLOTS] = 0
    this.#last = Math.max(this.#last, slot)
  }
}
