/** Formats a number as in PASSporTs: only digits, `#` and `*` (RFC 8224 §8.3). */
export function canonical(number: string): string {
  return number.replace(/[^0-9*#]/g, '')
}
