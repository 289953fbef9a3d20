/**
 * Amounts are whole numbers of 1/10,000 dollar. Rates are in millionths of a dollar, so that a tenth of a
 * cent per minute divides exactly. Pure.
 */

/** Number of units in one dollar. */
export const UNITS_PER_DOLLAR = 10_000
/** Maximum amount of one entry: ten million dollars. */
export const MAX_UNITS = 10_000_000 * UNITS_PER_DOLLAR

/** Converts dollars with up to four decimals to units; undefined for a finer or too large amount. */
export function unitsOfDollars(dollars: number): number | undefined {
  return wholeParts(dollars, UNITS_PER_DOLLAR, MAX_UNITS)
}

/** Converts units to dollars, as the APIs show them. */
export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR
}

/** The amount in dollars as text with that number of decimals: `-0.0175`. */
export function dollarText(units: number, decimals = 4): string {
  const sign = units < 0 ? '-' : ''
  const digits = String(Math.abs(units)).padStart(5, '0')
  return `${sign}${digits.slice(0, -4)}.${digits.slice(-4).padEnd(decimals, '0')}`
}

/**
 * Converts dollars to a whole number of `parts` of a dollar; undefined when it is not whole, or above `max`.
 */
export function wholeParts(dollars: number, parts: number, max: number): number | undefined {
  const exact = dollars * parts
  const whole = Math.round(exact)
  // The binary rounding error of a decimal fraction is smaller than this.
  const isWhole = Math.abs(exact - whole) < 1e-4
  return isWhole && Math.abs(whole) <= max ? whole : undefined
}
