/** Calendar months, in UTC. Pure. */

/** The beginning of the month after the one that a time is in. */
export function nextMonth(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The month as text: `2026-11`. */
export function monthName(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/**
 * The part of a month's charge for the days from a time on, that day included, rounded up to the next
 * 1/10,000 dollar.
 */
export function restOfMonth(monthly: number, at: number): number {
  const date = new Date(at)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  const left = days - date.getUTCDate() + 1
  return Math.ceil((monthly * left) / days)
}
