/** Arithmetic of dates for the rules. Pure. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/**
 * The same day of the month, `months` later, in UTC; the month's last day when it is shorter. With `dayOf`,
 * the day of the month of that moment: a short month does not move the day of the later ones.
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
