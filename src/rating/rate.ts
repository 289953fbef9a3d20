/**
 * Prices of calls. A rate is in millionths of a dollar per minute; an amount in 1/10,000 dollar. A call is
 * billed for at least the minimum, beyond it in increments; the amount is rounded up once, at the end. Pure.
 */

/** Rate units in one dollar. */
export const MICROS_PER_DOLLAR = 1_000_000
/** Rate units in 1/10,000 dollar. */
export const MICROS_PER_UNIT = 100
/** Maximum rate: 1,000 dollars. */
export const MAX_MICROS = 1_000 * MICROS_PER_DOLLAR
/** Default increment and minimum, seconds. */
export const DEFAULT_INCREMENT_SECONDS = 6
export const MAX_INCREMENT_SECONDS = 3_600

export interface Rate {
  /** Millionths of a dollar per minute of a call, or per segment of a message. */
  readonly perMinute: number
  /** Minimum billed duration of an answered call, seconds. */
  readonly minimumSeconds: number
  /** Billing increment beyond the minimum, seconds. */
  readonly incrementSeconds: number
}

/** The rate and the paying account of one call, fixed when the call is created. */
export interface CallTerms extends Rate {
  readonly billedSid: string
  /**
   * Seconds that the balance covered, for a call that was ended because the balance was spent. The time of
   * the hangup itself is free.
   */
  readonly paidSeconds?: number | undefined
}

/** The rate per minute, in millionths of a dollar, that amounts to 1/10,000 dollar per second. */
const MICROS_PER_UNIT_SECOND = 6_000

/** Billed duration of an answered call, seconds. */
export function billedSeconds(rate: Rate, talkedSeconds: number): number {
  const { minimumSeconds, incrementSeconds } = rate
  const beyond = Math.max(0, Math.ceil(talkedSeconds) - minimumSeconds)
  return minimumSeconds + Math.ceil(beyond / incrementSeconds) * incrementSeconds
}

/** The price of an answered call, in 1/10,000 dollar. */
export function costOf(rate: Rate, talkedSeconds: number): number {
  return Math.ceil((billedSeconds(rate, talkedSeconds) * rate.perMinute) / MICROS_PER_UNIT_SECOND)
}

/**
 * Returns the longest duration that an amount covers, in seconds; undefined when it does not cover the
 * minimum. A free call has no limit.
 */
export function secondsFor(rate: Rate, amount: number): number | undefined {
  const { perMinute, minimumSeconds, incrementSeconds } = rate
  if (perMinute === 0) return Number.POSITIVE_INFINITY
  const paid = Math.floor((amount * MICROS_PER_UNIT_SECOND) / perMinute)
  if (paid < minimumSeconds) return undefined
  return minimumSeconds + Math.floor((paid - minimumSeconds) / incrementSeconds) * incrementSeconds
}

/**
 * The amount to reserve for `seconds` of a call, limited to what `available` covers; zero when it does not
 * cover the minimum.
 */
export function reserveFor(rate: Rate, seconds: number, available: number): number {
  const wanted = costOf(rate, seconds)
  if (wanted <= available) return wanted
  const possible = secondsFor(rate, available)
  return possible === undefined ? 0 : costOf(rate, possible)
}
