/**
 * Rate limit for password guesses. After ten wrong passwords from one address, or thirty for one
 * user from all addresses, further tries are refused until tokens are refilled. The owner is not
 * locked out: an address that the user is registered from has its own tokens, and during an attack
 * on one user every other address still gets a few.
 */
import { TokenBuckets } from '../../platform/token-buckets.js'

export type GuessVerdict = 'try' | 'refuse' | 'ignore'

/** An authentication attempt: its address and its user. */
export interface Guess {
  readonly address: string
  readonly user: string
}

const OF_ADDRESS = { perSecond: 1 / 30, burst: 10 }
const OF_USER = { perSecond: 1 / 10, burst: 30 }
const OF_BOTH = { perSecond: 1 / 120, burst: 3 }
/** Maximum number of refusals sent in a row to one address. */
const REFUSALS = 10
export const RETRY_AFTER_SECONDS = 30

export class GuessLimit {
  readonly #addresses = new TokenBuckets(OF_ADDRESS)
  readonly #users = new TokenBuckets(OF_USER)
  readonly #both = new TokenBuckets(OF_BOTH)
  #refused = 0

  /** Number of attempts that were refused. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Classifies an attempt; `isKnown` resolves with true when the user is registered from the
   * address.
   */
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

  /** Counts a wrong password. */
  failed(guess: Guess, now: number): void {
    this.#addresses.take(guess.address, now)
    this.#users.take(guess.user, now)
    this.#both.take(nameOf(guess), now)
  }
}

function nameOf({ address, user }: Guess): string {
  return `${address} ${user}`
}
