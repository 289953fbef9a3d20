/** The UTC days that archives cover. Pure. */
import type { CreatedRange } from '../../platform/database/oldest-first.js'

const DAY_MS = 86_400_000
const PATTERN = /^\d{4}-\d{2}-\d{2}$/
/** Days for which an archive is kept. */
export const KEPT_DAYS = 365
/**
 * Delay after midnight UTC before nightly archives start, so that most calls of the day have ended.
 */
const NIGHT_DELAY_MS = 3_600_000
/** Maximum number of nights that are made up for after a downtime. */
const MISSED_NIGHTS = 7

/** Returns the start and end of the day; undefined for text that is not a day. */
export function rangeOf(day: string): CreatedRange | undefined {
  if (!PATTERN.test(day)) return undefined
  const from = Date.parse(`${day}T00:00:00Z`)
  // Some parsers read `2026-02-30` as a day in March.
  return Number.isNaN(from) || dayOf(from) !== day ? undefined : { from, before: from + DAY_MS }
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** True for a finished day that is not older than archives are kept. */
export function canBeExported({ before }: CreatedRange, now: number): boolean {
  return before <= now && before > now - KEPT_DAYS * DAY_MS
}

/** Returns the days whose nightly archive is due, oldest first. */
export function nightlyDays(now: number): readonly string[] {
  const last = now - NIGHT_DELAY_MS - DAY_MS
  return Array.from({ length: MISSED_NIGHTS }, (_, back) => dayOf(last - back * DAY_MS)).reverse()
}

/** Returns the oldest day whose archive is kept; older archives are deleted. */
export function firstKeptDay(now: number): string {
  return dayOf(now - KEPT_DAYS * DAY_MS)
}
