import type { Clock } from '../clock.js'
import { TokenBuckets, type TokenRate } from '../token-buckets.js'
import type { Rates } from './api.js'

export interface RateLimits {
  readonly readsPerSecond: number
  readonly writesPerSecond: number
}

/** Burst size, in seconds of the rate. */
const BURST_SECONDS = 2

/** Limits the reads and the writes of each caller separately. */
export function createCallerRates(
  { readsPerSecond, writesPerSecond }: RateLimits,
  clock: Clock,
): Rates {
  return ratesOf({ read: bucketsOf(readsPerSecond), write: bucketsOf(writesPerSecond) }, clock)
}

/** Limits the requests of each caller, reads and writes together. */
export function createCallerRate(requestsPerSecond: number, clock: Clock): Rates {
  const buckets = bucketsOf(requestsPerSecond)
  return ratesOf({ read: buckets, write: buckets }, clock)
}

function bucketsOf(perSecond: number): TokenBuckets {
  return new TokenBuckets(rateOf(perSecond))
}

function rateOf(perSecond: number): TokenRate {
  return { perSecond, burst: perSecond * BURST_SECONDS }
}

function ratesOf(
  buckets: { readonly read: TokenBuckets; readonly write: TokenBuckets },
  clock: Clock,
): Rates {
  return {
    waitSeconds: (caller, rate, own) => {
      const now = clock.monotonic()
      const limit = own === undefined ? undefined : rateOf(own)
      if (buckets[rate].take(caller, now, limit)) return 0
      return buckets[rate].secondsUntilToken(caller, now, limit)
    },
  }
}
