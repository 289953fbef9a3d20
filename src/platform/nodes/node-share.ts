/**
 * This node's part of a limit that all nodes obey together. Each live node has an equal part, so that
 * a call costs no question to the database; of a limit in whole numbers the first nodes by name have
 * what is left over, and each has at least one.
 */
export class NodeShare {
  #nodes = 1
  #place = 0

  /** Notes the names of the live nodes, this one's among them. */
  note(names: readonly string[], own: string): void {
    const others = new Set(names)
    others.delete(own)
    this.#nodes = others.size + 1
    this.#place = [...others].filter((name) => name < own).length
  }

  /** The part of a rate, which may be less than one. */
  ofRate(rate: number): number {
    return rate / this.#nodes
  }

  /** The part of a number of things. */
  ofCount(limit: number): number {
    const rest = limit % this.#nodes
    const part = Math.floor(limit / this.#nodes) + (this.#place < rest ? 1 : 0)
    return limit === 0 ? 0 : Math.max(1, part)
  }
}
