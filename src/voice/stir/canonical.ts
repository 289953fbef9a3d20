/** Writes a number in the form of PASSporTs: digits, `#` and `*` alone (RFC 8224 §8.3). */
export function canonical(number: string): string {
  return number.replace(/[^0-9*#]/g, '')
}
