/**
 * This node's share of a limit that holds for all nodes together. Each live node has an equal share, so that a
 * call needs no query. The remainder of an integer limit goes to the first nodes by name, and each node has at
 * least one.
 */
export class NodeShare {
  #nodes = 1
  #place = 0

  /** Stores the names of the live nodes, including this one. */
  note(names: readonly string[], own: string): void {
    const others = new Set(names)
    others.delete(own)
    this.#nodes = others.size + 1
    this.#place = [...others].filter((name) => name < own).length
  }

  /** Returns the share of a rate, which may be below one. */
  ofRate(rate: number): number {
    return rate / this.#nodes
  }

  /** Returns the share of an integer limit. */
  ofCount(limit: number): number {
    const rest = limit % this.#nodes
    const part = Math.floor(limit / this.#nodes) + (this.#place < rest ? 1 : 0)
    return limit === 0 ? 0 : Math.max(1, part)
  }
}
