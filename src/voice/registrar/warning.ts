import type { ErrorNumber } from '../errors/error-catalogue.js'

/** Returns a Warning header with a number of the error catalogue (RFC 3261 §20.43). */
export function warning(number: ErrorNumber, text: string): Readonly<Record<string, string>> {
  return { Warning: `399 trunkline "${number} ${text}"` }
}
