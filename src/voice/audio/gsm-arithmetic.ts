/** The 16-bit operations that GSM 06.10 §5.1 is written in. */

/** The sum, saturated. */
export function add(a: number, b: number): number {
  const sum = a + b
  return sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : sum
}

/** The product of two fractions, rounded. */
export function multiply(a: number, b: number): number {
  return a === -32_768 && b === -32_768 ? 32_767 : (a * b + 16_384) >> 15
}
