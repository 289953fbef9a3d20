/** Date arithmetic for the rules. Pure. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/**
 * Returns the same day of the month, `months` later, in UTC; the last day when the month is
 * shorter. `dayOf` is the moment whose day of the month counts, so that a short month does not
 * shift later dates.
 */
export function addMonths(at: number, months: number, dayOf = at): number {
  const date = new Date(at)
  const day = new Date(dayOf).getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}
