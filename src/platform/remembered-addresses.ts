/** Maximum number of addresses; beyond it the oldest is removed. */
const MAX_ADDRESSES = 10_000

/** A bounded set of addresses, such as those that have authenticated. */
export class RememberedAddresses {
  readonly #addresses = new Set<string>()

  has(address: string): boolean {
    return this.#addresses.has(address)
  }

  add(address: string): void {
    this.#addresses.delete(address)
    this.#addresses.add(address)
    if (this.#addresses.size <= MAX_ADDRESSES) return
    for (const oldest of this.#addresses) {
      this.#addresses.delete(oldest)
      return
    }
  }
}
