/**
 * The packet index of SRTP (RFC 3711 §3.3.1): the sequence number with the count of its roll-overs,
 * which no packet carries.
 */

const SEQUENCES = 0x1_0000
const HALF = 0x8000
/** The count of roll-overs has 32 bits. */
const MAX_ROLLOVERS = 0xffff_ffff

/**
 * The likeliest index of a packet, given the highest index received; negative when the packet is
 * from before the first roll-over or the key is used up.
 */
export function guessIndex(highest: number, sequence: number): number {
  const rollovers = Math.floor(highest / SEQUENCES)
  const last = highest % SEQUENCES
  let guess = rollovers
  if (last < HALF) {
    if (sequence - last > HALF) guess = rollovers - 1
  } else if (last - HALF > sequence) guess = rollovers + 1
  if (guess < 0 || guess > MAX_ROLLOVERS) return -1
  return guess * SEQUENCES + sequence
}
