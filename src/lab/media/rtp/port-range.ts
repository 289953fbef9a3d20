/**
 * Gives the even ports of a range in turn, so that a port rests as long as possible before it is
 * used again.
 */
export class PortRange {
  readonly #first: number
  readonly #count: number
  readonly #taken = new Set<number>()
  #next = 0

  /**
   * Takes a range with both ends inclusive; an odd first is rounded up. With 0–0 the system
   * chooses.
   */
  constructor(range: { readonly first: number; readonly last: number }) {
    this.#first = range.first + (range.first % 2)
    // RTCP needs the port above, too.
    this.#count = Math.max(0, Math.floor((range.last - 1 - this.#first) / 2) + 1)
    if (range.first === 0) this.#count = 0
  }

  get isSystemChosen(): boolean {
    return this.#first === 0
  }

  /**
   * Yields free ports in the order in which to try them; each counts as taken when it is yielded.
   */
  *candidates(): Generator<number> {
    for (let tries = 0; tries < this.#count; tries++) {
      const port = this.#first + 2 * (this.#next++ % this.#count)
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      yield port
    }
  }

  giveBack(port: number): void {
    this.#taken.delete(port)
  }
}
