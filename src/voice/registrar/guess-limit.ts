/**
 * Slows down those who guess passwords. Ten wrong passwords of one address, or thirty for one user
 * from everywhere, and further tries are refused until tokens have come back. The owner is not locked
 * out: an address that the user is registered from still gets tries of its own, and under an attack on
 * one user every other address gets a few.
 */
import { TokenBuckets } from '../../platform/token-buckets.js'

export type GuessVerdict = 'try' | 'refuse' | 'ignore'

/** Who tries, and as whom. */
export interface Guess {
  readonly address: string
  readonly user: string
}

const OF_ADDRESS = { perSecond: 1 / 30, burst: 10 }
const OF_USER = { perSecond: 1 / 10, burst: 30 }
const OF_BOTH = { perSecond: 1 / 120, burst: 3 }
/** The refusals that an address is sent in a row. */
const REFUSALS = 10
export const RETRY_AFTER_SECONDS = 30

export class GuessLimit {
  readonly #addresses = new TokenBuckets(OF_ADDRESS)
  readonly #users = new TokenBuckets(OF_USER)
  readonly #both = new TokenBuckets(OF_BOTH)
  #refused = 0

  /** The number of tries that were not let through. */
  get refused(): number {
    return this.#refused
  }

  /** `isKnown` tells whether the user is registered from the address. */
  async judge(guess: Guess, now: number, isKnown: () => Promise<boolean>): Promise<GuessVerdict> {
    const isAddressOut = this.#addresses.at(guess.address, now).tokens < 1
    const isUserOut = this.#users.at(guess.user, now).tokens < 1
    if (!isAddressOut && !isUserOut) return 'try'
    const hasOwnTries = this.#both.at(nameOf(guess), now).tokens >= 1
    if (hasOwnTries && (!isAddressOut || (await isKnown()))) return 'try'
    this.#refused++
    const bucket = this.#addresses.at(guess.address, now)
    bucket.refusals++
    return bucket.refusals > REFUSALS ? 'ignore' : 'refuse'
  }

  /** Takes note of a wrong password. */
  failed(guess: Guess, now: number): void {
    this.#addresses.take(guess.address, now)
    this.#users.take(guess.user, now)
    this.#both.take(nameOf(guess), now)
  }
}

function nameOf({ address, user }: Guess): string {
  return `${address} ${user}`
}
