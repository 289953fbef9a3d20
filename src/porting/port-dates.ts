/** The calendar of ports: dates `YYYY-MM-DD`, in UTC. Pure. */

const DAY_MS = 86_400_000
/** Minimum time between a cancellation and the port date, ms. */
const CANCEL_BEFORE_MS = 2 * DAY_MS
/** Hour of the day, UTC, at which numbers are moved: morning in America. */
const ACTIVATION_HOUR = 15

/** The date in a text that is a date or a date and time; undefined for any other text. */
export function dateIn(text: string): string | undefined {
  const [, date = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ][0-9:.]{4,15}(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text) ?? []
  const at = Date.parse(`${date}T00:00:00Z`)
  // Rejects dates such as 31 February, which `Date` would convert to another one.
  return Number.isNaN(at) || dateOf(at) !== date ? undefined : date
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Returns the time at which the numbers of a port with this date move. */
export function activationAt(foc: string): number {
  return Date.parse(`${foc}T00:00:00Z`) + ACTIVATION_HOUR * 3_600_000
}

/** True when a port with this date can no longer be cancelled. */
export function isTooLateToCancel(foc: string, now: number): boolean {
  return now > activationAt(foc) - CANCEL_BEFORE_MS
}

/** The date itself, or the next Monday for a date at a weekend, when carriers do not work. */
export function workingDay(date: string): string {
  const at = Date.parse(`${date}T00:00:00Z`)
  const day = new Date(at).getUTCDay()
  if (day === 6) return dateOf(at + 2 * DAY_MS)
  return day === 0 ? dateOf(at + DAY_MS) : date
}

/** The date `days` days after a time, moved to Monday from a weekend. */
export function workingDayAfter(at: number, days: number): string {
  return workingDay(dateOf(at + days * DAY_MS))
}

/** `YYYYMMDD`, the account API's format; empty for undefined. */
export function compactDate(date: string | undefined): string {
  return (date ?? '').replaceAll('-', '')
}
