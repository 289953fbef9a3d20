import type { NextAttemptAt } from './channel.js'

/**
 * Retry schedule of callbacks: after 1 s, then doubling up to ten minutes, reduced by up to half at random so
 * that a recovering server does not get all at once. Given up after four hours: by then the report is useless
 * and the stream has waited long enough. Pure.
 */
export interface RetrySchedule {
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** Maximum age of a row for another attempt, ms. */
  readonly horizonMs: number
}

export const RETRY_SCHEDULE: RetrySchedule = {
  firstDelayMs: 1_000,
  maxDelayMs: 10 * 60_000,
  horizonMs: 4 * 60 * 60_000,
}

export function nextAttemptAt(
  schedule: RetrySchedule,
  ...[row, now, random]: Parameters<NextAttemptAt>
): number | undefined {
  if (now - row.createdAt >= schedule.horizonMs) return undefined
  const doublings = Math.min(row.attempts - 1, 30)
  const delay = Math.min(schedule.firstDelayMs * 2 ** doublings, schedule.maxDelayMs)
  return Math.ceil(now + delay * (1 - random / 2))
}
