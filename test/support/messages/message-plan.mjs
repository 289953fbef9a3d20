/** Messages of the kill test; the index alone determines a message and its price. */

export const SENDERS = ['+12025550101', '+12025550102', '+12025550103', '+12025550104']
/** Number of sender-recipient pairs; the messages of a pair are sent one at a time. */
export const PAIRS = 40
/** Initial balance of the account and its price per segment, in 1/10,000 dollar. */
export const FUNDS = 100_000_000
export const SEGMENT = 75

const TEXTS = [
  ['Hello', 1],
  ['€'.repeat(81), 2],
  [`${'a'.repeat(66)}😀${'b'.repeat(10)}`, 2],
  ['one\r\ntwo\nthree', 1],
]

/**
 * The message with this index.
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
