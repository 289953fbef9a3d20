/** One account's place in the turns. */
export interface Lane {
  readonly accountSid: string
  /** Streams with a request in progress. */
  readonly busy: Set<string>
  /** When the store is to be asked for its rows; Infinity: when one of its requests ends. */
  lookAt: number
}

/** Whose turn it is: accounts with something to do take turns, as long as they have a request free. */
export class Lanes {
  readonly #inFlightPerAccount: number
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane>()

  constructor(inFlightPerAccount: number) {
    this.#inFlightPerAccount = inFlightPerAccount
  }

  /** The account is to be looked at no later than `at`. */
  wake(accountSid: string, at: number): void {
    const known = this.#lanes.get(accountSid)
    if (known === undefined)
      this.#lanes.set(accountSid, { accountSid, busy: new Set(), lookAt: at })
    else known.lookAt = Math.min(known.lookAt, at)
  }

  /** Goes to the end of the queue as it is returned. */
  next(now: number): Lane | undefined {
    for (const lane of this.#lanes.values()) {
      if (lane.lookAt > now || this.free(lane) === 0) continue
      this.#lanes.delete(lane.accountSid)
      this.#lanes.set(lane.accountSid, lane)
      return lane
    }
    return undefined
  }

  /** Requests that the account may still begin. */
  free(lane: Lane): number {
    return Math.max(0, this.#inFlightPerAccount - lane.busy.size)
  }

  /** When `next` will have something again, if nothing else happens; Infinity for never. */
  nextLookAt(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values())
      if (this.free(lane) > 0) earliest = Math.min(earliest, lane.lookAt)
    return earliest
  }

  /** Drops an account that has nothing to do. */
  settle(lane: Lane): void {
    if (lane.busy.size === 0 && lane.lookAt === Number.POSITIVE_INFINITY)
      this.#lanes.delete(lane.accountSid)
  }

  get size(): number {
    return this.#lanes.size
  }
}
