/** One account's place in the round-robin. */
export interface Lane {
  readonly accountSid: string
  /** Streams with a row that was read from the store and whose result is not stored yet. */
  readonly busy: Set<string>
  /** Number of requests in progress: at most one per busy stream. */
  requests: number
  /** Time of the next query for its rows; Infinity: when one of its streams is free again. */
  lookAt: number
}

export interface LaneLimits {
  /** Maximum requests in progress, of all accounts. */
  readonly inFlight: number
  /** Maximum requests in progress of one account, while half of all slots are free. */
  readonly inFlightPerAccount: number
  /**
   * Maximum requests in progress of one account when slots are scarce, so that many slow customers leave this
   * to each.
   */
  readonly inFlightWhenScarce: number
}

/** Rows of an account that are answered but not yet stored, per request allowed. */
const UNMARKED_PER_REQUEST = 4

/** Shares the slots among accounts with work, round-robin, within each account's limit. */
export class Lanes {
  readonly #limits: LaneLimits
  /** Accounts in round-robin order. */
  readonly #lanes = new Map<string, Lane>()
  #requests = 0

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** Schedules a query of the account no later than `at`. */
  wake(accountSid: string, at: number): void {
    const known = this.#lanes.get(accountSid)
    if (known === undefined)
      this.#lanes.set(accountSid, { accountSid, busy: new Set(), requests: 0, lookAt: at })
    else known.lookAt = Math.min(known.lookAt, at)
  }

  /** Returns the next account with work and moves it to the end of the queue. */
  next(now: number): Lane | undefined {
    for (const lane of this.#lanes.values()) {
      if (lane.lookAt > now || this.free(lane) === 0) continue
      this.#lanes.delete(lane.accountSid)
      this.#lanes.set(lane.accountSid, lane)
      return lane
    }
    return undefined
  }

  /** Returns the number of requests that the account may still start. */
  free(lane: Lane): number {
    const { inFlight, inFlightPerAccount, inFlightWhenScarce } = this.#limits
    const isScarce = this.#requests * 2 >= inFlight
    const share = isScarce ? Math.min(inFlightWhenScarce, inFlightPerAccount) : inFlightPerAccount
    const unmarked = UNMARKED_PER_REQUEST * inFlightPerAccount - lane.busy.size
    return Math.max(0, Math.min(share - lane.requests, inFlight - this.#requests, unmarked))
  }

  /** Returns the time at which `next` has work again if nothing else happens; Infinity for never. */
  nextLookAt(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values())
      if (this.free(lane) > 0) earliest = Math.min(earliest, lane.lookAt)
    return earliest
  }

  /** Records the start of a request; its stream is busy until `marked`. */
  began(lane: Lane, stream: string): void {
    lane.busy.add(stream)
    lane.requests += 1
    this.#requests += 1
  }

  /** Records the answer to a request and frees its slot. */
  answered(lane: Lane): void {
    lane.requests -= 1
    this.#requests -= 1
  }

  /** Frees the stream, since the result is stored: its next row may be sent. */
  marked(lane: Lane, stream: string): void {
    lane.busy.delete(stream)
    this.wake(lane.accountSid, 0)
  }

  /** Removes an account that has no work. */
  settle(lane: Lane): void {
    if (lane.busy.size === 0 && lane.lookAt === Number.POSITIVE_INFINITY)
      this.#lanes.delete(lane.accountSid)
  }

  get size(): number {
    return this.#lanes.size
  }
}
