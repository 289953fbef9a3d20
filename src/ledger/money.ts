/**
 * Amounts of money: whole numbers of 1/10,000 dollar. Rates are finer, in millionths of a dollar, so
 * that a tenth of a cent for a minute has exact parts. Pure.
 */

/** The units of a dollar. */
export const UNITS_PER_DOLLAR = 10_000
/** The largest amount of one entry: ten million dollars. */
export const MAX_UNITS = 10_000_000 * UNITS_PER_DOLLAR

/** Reads dollars with up to four decimals; undefined for a finer amount or one that is too large. */
export function unitsOfDollars(dollars: number): number | undefined {
  return wholeParts(dollars, UNITS_PER_DOLLAR, MAX_UNITS)
}

/** The amount in dollars, as the APIs show it. */
export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR
}

/** The amount as text with as many decimals: `-0.0175`. */
export function dollarText(units: number, decimals = 4): string {
  const sign = units < 0 ? '-' : ''
  const digits = String(Math.abs(units)).padStart(5, '0')
  return `${sign}${digits.slice(0, -4)}.${digits.slice(-4).padEnd(decimals, '0')}`
}

/** The whole parts of a dollar that a number of dollars has; undefined when there are none. */
export function wholeParts(dollars: number, parts: number, max: number): number | undefined {
  const exact = dollars * parts
  const whole = Math.round(exact)
  // A decimal fraction is off by less than this as a binary one.
  const isWhole = Math.abs(exact - whole) < 1e-4
  return isWhole && Math.abs(whole) <= max ? whole : undefined
}
