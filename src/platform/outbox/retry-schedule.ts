import type { NextAttemptAt } from './channel.js'

/**
 * Says when a failed callback is tried again: after 1 s, then after twice as long each time up to
 * ten minutes, less up to half at random so that a server that comes back does not get all at once.
 * After four hours it is given up: the report of a call is then of no use, and the rest of its
 * stream has waited long enough. Pure.
 */
export interface RetrySchedule {
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** The time from the row's creation; an attempt that fails later is the last one. */
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
