/** The UTC days that exports are made for. Pure. */
import type { CreatedRange } from '../../platform/database/oldest-first.js'

const DAY_MS = 86_400_000
const PATTERN = /^\d{4}-\d{2}-\d{2}$/
/** How long an archive is kept. */
export const KEPT_DAYS = 365
/** The time after midnight at which the night's archives begin: most calls of the day are over. */
const NIGHT_DELAY_MS = 3_600_000
/** The nights that are made up for after a time without a server. */
const MISSED_NIGHTS = 7

/** The day's times; undefined for a text that names no day. */
export function rangeOf(day: string): CreatedRange | undefined {
  if (!PATTERN.test(day)) return undefined
  const from = Date.parse(`${day}T00:00:00Z`)
  // `2026-02-30` is read as a day of March by some parsers.
  return Number.isNaN(from) || dayOf(from) !== day ? undefined : { from, before: from + DAY_MS }
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** True for a day that is over and whose archive would still be kept. */
export function canBeExported({ before }: CreatedRange, now: number): boolean {
  return before <= now && before > now - KEPT_DAYS * DAY_MS
}

/** The days that the nights until now have made due, the oldest first. */
export function nightlyDays(now: number): readonly string[] {
  const last = now - NIGHT_DELAY_MS - DAY_MS
  return Array.from({ length: MISSED_NIGHTS }, (_, back) => dayOf(last - back * DAY_MS)).reverse()
}

/** The first day whose archive is kept: those before it are removed. */
export function firstKeptDay(now: number): string {
  return dayOf(now - KEPT_DAYS * DAY_MS)
}
