/** Calls of the kill test; the index alone determines a call and its price. */

export const ACCOUNTS = ['ACone', 'ACtwo', 'ACthree']
/** Initial balance of each account, in 1/10,000 dollar. */
export const FUNDS = 100_000_000

/** @param {number} seed */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * The call with this index.
 * @param {number} index
 */
export function callOf(index) {
  const random = randomOf(index * 7_919 + 1)
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit)
  const account = ACCOUNTS[below(ACCOUNTS.length)] ?? ''
  const steps = [1, 6, 30, 60]
  return {
    sid: `CA${index}`,
    accountSid: account,
    direction: /** @type {const} */ ('outbound'),
    status: 'completed',
    peerIp: '',
    callerName: '',
    from: '+15550001111',
    to: '+15550002222',
    isAnswered: random() < 0.9,
    durationSeconds: below(600),
    terms: {
      billedSid: account,
      perMinute: below(50_000),
      minimumSeconds: steps[below(4)] ?? 1,
      incrementSeconds: steps[below(4)] ?? 1,
    },
    startedAt: 1_000_000 + index,
    endedAt: 2_000_000 + index,
  }
}
