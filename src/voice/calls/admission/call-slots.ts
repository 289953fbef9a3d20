/** Bounds the calls that are under way at once. Calls that wait for their turn are not counted. */
export class CallSlots {
  readonly #max: number
  readonly #taken = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#taken.size >= this.#max
  }

  /** Takes a slot for the call; false when none is free. */
  take(sid: string): boolean {
    if (this.isFull) return false
    this.#taken.add(sid)
    return true
  }

  /** Frees the slot of the call. It does nothing for a call that has none. */
  release(sid: string): void {
    this.#taken.delete(sid)
  }
}
