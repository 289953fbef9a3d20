/**
 * Prices of calls. A rate is in millionths of a dollar per minute; an amount in 1/10,000 dollar. A call is
 * billed for its minimum, beyond it in increments, and the amount is rounded up once, at the end. Pure.
 */

/** The parts of a dollar that rates are counted in. */
export const MICROS_PER_DOLLAR = 1_000_000
/** The parts of 1/10,000 dollar that rates are counted in. */
export const MICROS_PER_UNIT = 100
/** The largest rate: a thousand dollars. */
export const MAX_MICROS = 1_000 * MICROS_PER_DOLLAR
/** The increment and the minimum where nothing else is said: a tenth of a minute. */
export const DEFAULT_INCREMENT_SECONDS = 6
export const MAX_INCREMENT_SECONDS = 3_600

export interface Rate {
  /** Millionths of a dollar for a minute of a call, or for a segment of a message. */
  readonly perMinute: number
  /** The seconds that an answered call is billed for at least. */
  readonly minimumSeconds: number
  /** The length of the steps beyond the minimum. */
  readonly incrementSeconds: number
}

/** The rate of one call and the account that pays it, fixed when the call is made. */
export interface CallTerms extends Rate {
  readonly billedSid: string
  /**
   * Seconds that the balance paid for, of a call that was ended because the balance was spent. The time that
   * the hangup takes is free.
   */
  readonly paidSeconds?: number | undefined
}

/** The millionths of a dollar for a minute that make 1/10,000 dollar for a second. */
const MICROS_PER_UNIT_SECOND = 6_000

/** The seconds that an answered call is billed for. */
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
 * Returns the longest call that an amount pays for, in seconds; undefined when it does not cover the minimum. A
 * free call has no limit.
 */
export function secondsFor(rate: Rate, amount: number): number | undefined {
  const { perMinute, minimumSeconds, incrementSeconds } = rate
  if (perMinute === 0) return Number.POSITIVE_INFINITY
  const paid = Math.floor((amount * MICROS_PER_UNIT_SECOND) / perMinute)
  if (paid < minimumSeconds) return undefined
  return minimumSeconds + Math.floor((paid - minimumSeconds) / incrementSeconds) * incrementSeconds
}

/**
 * The amount to reserve for a call of so many seconds when this much is available: all of them, or
 * as many as it pays for; zero when it does not pay for the minimum.
 */
export function reserveFor(rate: Rate, seconds: number, available: number): number {
  const wanted = costOf(rate, seconds)
  if (wanted <= available) return wanted
  const possible = secondsFor(rate, available)
  return possible === undefined ? 0 : costOf(rate, possible)
}
