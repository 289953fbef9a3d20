import type { ErrorNumber } from '../errors/error-catalogue.js'

/** The header by which a refusal names its number of the error catalogue (RFC 3261 §20.43). */
export function warning(number: ErrorNumber, text: string): Readonly<Record<string, string>> {
  return { Warning: `399 trunkline "${number} ${text}"` }
}
