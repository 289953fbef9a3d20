/** Arithmetic of dates for the rules. Pure. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The same day of the month, `months` later, in UTC; the month's last day when it is shorter. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}
