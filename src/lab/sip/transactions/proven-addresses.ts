/** The most addresses that are remembered; beyond, the one whose proof is the oldest is forgotten. */
const MAX_ADDRESSES = 10_000

/**
 * The addresses that have shown that they receive what we send them: their ACK had the tag of our
 * answer, which nobody can guess. The source of a request over UDP may be forged.
 */
export class ProvenAddresses {
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
