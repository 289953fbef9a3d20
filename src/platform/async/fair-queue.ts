/**
 * A queue that is fair to groups, and within a group to its members: next is who was served longest
 * ago. A newcomer counts as served when it came, so that it waits for one turn of a busy group, and
 * never for all that the group has asked for.
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
  /** The turns at which groups and members were served last; forgotten once nobody waits. */
  readonly #servedAt = new Map<string, number>()
  #turn = 0

  push(item: T, { group, member }: Claim): void {
    const cameAt = this.#turn
    this.#waiting.push({ item, group, member: JSON.stringify([group, member]), cameAt })
  }

  /** Takes the item whose turn it is. */
  shift(): T | undefined {
    const [first, ...others] = this.#waiting
    if (first === undefined) {
      this.#servedAt.clear()
      return undefined
    }
    let next = first
    for (const other of others) if (this.#isBefore(other, next)) next = other
    this.#turn += 1
    // Later than a newcomer's, who comes before the next turn.
    for (const key of [next.group, next.member]) this.#servedAt.set(key, this.#turn + 1)
    this.remove(next.item)
    return next.item
  }

  remove(item: T): void {
    const index = this.#waiting.findIndex((waiting) => waiting.item === item)
    if (index !== -1) this.#waiting.splice(index, 1)
  }

  /** Takes all items, in the order in which they came. */
  clear(): T[] {
    this.#servedAt.clear()
    return this.#waiting.splice(0).map(({ item }) => item)
  }

  /** The number of items that wait of one group. */
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
