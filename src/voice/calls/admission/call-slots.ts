/** How many calls may be under way at once: those that wait for their turn are not counted. */
export class CallSlots {
  readonly #max: number
  readonly #taken = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#taken.size >= this.#max
  }

  /** False when there is none left. */
  take(sid: string): boolean {
    if (this.isFull) return false
    this.#taken.add(sid)
    return true
  }

  /** Does nothing for a call that has none. */
  release(sid: string): void {
    this.#taken.delete(sid)
  }
}
