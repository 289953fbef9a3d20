/** The messages of the kill test: what each is, and costs, follows from its number alone. */

export const SENDERS = ['+12025550101', '+12025550102', '+12025550103', '+12025550104']
/** The pairs of numbers: each has its messages one after the other. */
export const PAIRS = 40
/** The money that the account begins with, in 1/10,000 dollar, and its price of a segment. */
export const FUNDS = 100_000_000
export const SEGMENT = 75

const TEXTS = [
  ['Hello', 1],
  ['€'.repeat(81), 2],
  [`${'a'.repeat(66)}😀${'b'.repeat(10)}`, 2],
  ['one\r\ntwo\nthree', 1],
]

/**
 * The message of that number.
 * @param {number} index
 */
export function messageOf(index) {
  const pair = index % PAIRS
  const [text = '', segments = 1] = TEXTS[index % TEXTS.length] ?? []
  return {
    pair,
    from: SENDERS[pair % SENDERS.length] ?? '',
    to: `+1303556${String(1_000 + pair)}`,
    body: `${index} ${text}`,
    segments: Number(segments),
  }
}
