/** Counts what each address holds at present; an address that holds none is forgotten. */
export class SourceCount {
  readonly #limit: number
  readonly #held = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes one for the address; false when it holds all that it may. */
  take(address: string): boolean {
    const held = this.#held.get(address) ?? 0
    if (held >= this.#limit) return false
    this.#held.set(address, held + 1)
    return true
  }

  giveBack(address: string): void {
    const left = (this.#held.get(address) ?? 0) - 1
    if (left > 0) this.#held.set(address, left)
    else this.#held.delete(address)
  }
}
