/** One account's place in the turns. */
export interface Lane {
  readonly accountSid: string
  /** The streams with a row that was taken from the store and is not marked yet. */
  readonly busy: Set<string>
  /** The number of requests in progress: at most one for each busy stream. */
  requests: number
  /**
   * The time at which the store is asked for its rows; Infinity: when one of its streams is free
   * again.
   */
  lookAt: number
}

export interface LaneLimits {
  /** The most requests in progress, of all accounts. */
  readonly inFlight: number
  /** The most requests in progress of one account, while half of all turns are free. */
  readonly inFlightPerAccount: number
  /**
   * The most requests in progress of one account when turns are scarce: many slow customers leave
   * this to each.
   */
  readonly inFlightWhenScarce: number
}

/** The rows of an account with an answer but no stored mark, per request it may make. */
const UNMARKED_PER_REQUEST = 4

/** Gives accounts with work their turns, as long as they have a request free. */
export class Lanes {
  readonly #limits: LaneLimits
  /** The accounts, in the order of their turns. */
  readonly #lanes = new Map<string, Lane>()
  #requests = 0

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** Makes sure that the account is looked at no later than `at`. */
  wake(accountSid: string, at: number): void {
    const known = this.#lanes.get(accountSid)
    if (known === undefined)
      this.#lanes.set(accountSid, { accountSid, busy: new Set(), requests: 0, lookAt: at })
    else known.lookAt = Math.min(known.lookAt, at)
  }

  /** Takes the next account whose turn it is, and puts it at the end of the queue. */
  next(now: number): Lane | undefined {
    for (const lane of this.#lanes.values()) {
      if (lane.lookAt > now || this.free(lane) === 0) continue
      this.#lanes.delete(lane.accountSid)
      this.#lanes.set(lane.accountSid, lane)
      return lane
    }
    return undefined
  }

  /** Returns the number of requests that the account may still begin. */
  free(lane: Lane): number {
    const { inFlight, inFlightPerAccount, inFlightWhenScarce } = this.#limits
    const isScarce = this.#requests * 2 >= inFlight
    const share = isScarce ? Math.min(inFlightWhenScarce, inFlightPerAccount) : inFlightPerAccount
    const unmarked = UNMARKED_PER_REQUEST * inFlightPerAccount - lane.busy.size
    return Math.max(0, Math.min(share - lane.requests, inFlight - this.#requests, unmarked))
  }

  /**
   * Returns the time at which `next` has work again, if nothing else happens; Infinity for never.
   */
  nextLookAt(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values())
      if (this.free(lane) > 0) earliest = Math.min(earliest, lane.lookAt)
    return earliest
  }

  /** Begins a request of the stream, which is busy from now on. */
  began(lane: Lane, stream: string): void {
    lane.busy.add(stream)
    lane.requests += 1
    this.#requests += 1
  }

  /** Ends the request: another stream may have its turn. */
  answered(lane: Lane): void {
    lane.requests -= 1
    this.#requests -= 1
  }

  /** Frees the stream, since the outcome is stored: its next row may go. */
  marked(lane: Lane, stream: string): void {
    lane.busy.delete(stream)
    this.wake(lane.accountSid, 0)
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
