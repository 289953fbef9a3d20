/**
 * A queue that is fair between groups, and within a group between members: the one served longest ago comes
 * next. A newcomer counts as served on arrival, so it waits for one item of a busy group and not for its whole
 * backlog.
 */
export interface Claim {
  readonly group: string
  readonly member: string
}

interface Waiting<T> {
  readonly item: T
  readonly group: string
  readonly member: string
  readonly cameAt: number
}

export class FairQueue<T> {
  readonly #waiting: Waiting<T>[] = []
  /** The tick at which each group and member was last served; deleted once nothing waits. */
  readonly #servedAt = new Map<string, number>()
  #turn = 0

  push(item: T, { group, member }: Claim): void {
    const cameAt = this.#turn
    this.#waiting.push({ item, group, member: JSON.stringify([group, member]), cameAt })
  }

  /** Removes and returns the next item. */
  shift(): T | undefined {
    const [first, ...others] = this.#waiting
    if (first === undefined) {
      this.#servedAt.clear()
      return undefined
    }
    let next = first
    for (const other of others) if (this.#isBefore(other, next)) next = other
    this.#turn += 1
    // Later than a newcomer, who comes before the next tick.
    for (const key of [next.group, next.member]) this.#servedAt.set(key, this.#turn + 1)
    this.remove(next.item)
    return next.item
  }

  remove(item: T): void {
    const index = this.#waiting.findIndex((waiting) => waiting.item === item)
    if (index !== -1) this.#waiting.splice(index, 1)
  }

  /** Removes all items and returns them in order of arrival. */
  clear(): T[] {
    this.#servedAt.clear()
    return this.#waiting.splice(0).map(({ item }) => item)
  }

  /** Number of waiting items of one group. */
  waitingOf(group: string): number {
    return this.#waiting.filter((waiting) => waiting.group === group).length
  }

  #isBefore(one: Waiting<T>, other: Waiting<T>): boolean {
    const byGroup = this.#since(one.group, one) - this.#since(other.group, other)
    if (byGroup !== 0) return byGroup < 0
    return this.#since(one.member, one) < this.#since(other.member, other)
  }

  #since(key: string, { cameAt }: Waiting<T>): number {
    return this.#servedAt.get(key) ?? cameAt
  }
}
