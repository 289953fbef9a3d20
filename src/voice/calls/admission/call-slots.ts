/** The calls under way: at most so many at once, and so many of one account. */
export class CallSlots {
  readonly #max: number
  readonly #taken = new Map<string, string | undefined>()
  readonly #byAccount = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#taken.size >= this.#max
  }

  /** True when the account has fewer calls under way than `limit`, which undefined does not set. */
  hasRoomFor(accountSid: string, limit: number | undefined): boolean {
    return limit === undefined || (this.#byAccount.get(accountSid) ?? 0) < limit
  }

  /**
   * Takes a slot for the call, whether or not there is room for it. Without an account it counts for
   * the server alone.
   */
  take(sid: string, accountSid: string | undefined): void {
    if (this.#taken.has(sid)) return
    this.#taken.set(sid, accountSid)
    if (accountSid === undefined) return
    this.#byAccount.set(accountSid, (this.#byAccount.get(accountSid) ?? 0) + 1)
  }

  /** Frees the slot of the call. It does nothing for a call that has none. */
  release(sid: string): void {
    const accountSid = this.#taken.get(sid)
    this.#taken.delete(sid)
    if (accountSid === undefined) return
    const left = (this.#byAccount.get(accountSid) ?? 1) - 1
    if (left > 0) this.#byAccount.set(accountSid, left)
    else this.#byAccount.delete(accountSid)
  }
}
