const SLOT_MS = 10
const SLOTS = 100

/**
 * Counts events of the last second in slots of 10 ms, in constant memory. Pure: the caller supplies the time.
 */
export class RecentCount {
  readonly #slots = new Uint32Array(SLOTS)
  /** Number of the last slot, counted from time 0. */
  #last = 0

  add(now: number): void {
    this.#advance(now)
    const at = this.#last % SLOTS
    this.#slots[at] = (this.#slots[at] ?? 0) + 1
  }

  /** Returns the count of the last `ms` milliseconds, at most 1,000. */
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
