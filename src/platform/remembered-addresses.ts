/** The most addresses that are remembered; beyond, the one that was added the longest ago is forgotten. */
const MAX_ADDRESSES = 10_000

/** Addresses that have shown something of themselves. */
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
