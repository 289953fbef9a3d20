import {
  type CryptoAttribute,
  newMasterKey,
  type SrtpSuite,
} from '../../../platform/sdes/crypto-attribute.js'

/** The suites in the order in which they are offered. */
const SUITES: readonly SrtpSuite[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
  'AES_256_CM_HMAC_SHA1_80',
  'AES_256_CM_HMAC_SHA1_32',
]

/**
 * Our own SDES keys in one call, one for each suite. As with FreeSWITCH they stay while the peer's
 * stays, and an offer with another key of the peer is answered with another one of ours.
 */
export class LocalKeys {
  readonly #keys = new Map<SrtpSuite, string>()
  /** Our attributes in the last description of ours, which an answer may accept. */
  #described: readonly CryptoAttribute[] = []
  /** The attribute of the peer that is in force. */
  #peer: CryptoAttribute | undefined

  /** Every suite at first; once one is agreed, that one alone under its tag. */
  offered(): readonly CryptoAttribute[] {
    const { tag, suite } = this.#peer ?? {}
    const agreed = tag !== undefined && suite !== undefined ? [{ tag, suite }] : undefined
    const offered = agreed ?? SUITES.map((one, index) => ({ tag: index + 1, suite: one }))
    this.#described = offered.map((one) => ({ ...one, key: this.#keyOf(one.suite) }))
    return this.#described
  }

  /** The attribute that accepts one of the peer's offer: its tag and suite, our key. */
  answerTo(peer: CryptoAttribute): CryptoAttribute {
    // A key that was in use once never encrypts again: its packets would be counted from the start.
    const isSame = this.#peer?.key === peer.key && this.#peer.suite === peer.suite
    if (this.#peer !== undefined && !isSame) this.#keys.clear()
    this.#peer = peer
    const own = { ...peer, key: this.#keyOf(peer.suite) }
    this.#described = [own]
    return own
  }

  /** The attribute of our offer that the peer's answer accepts; undefined when there is no such one. */
  acceptedBy(answer: CryptoAttribute): CryptoAttribute | undefined {
    const { tag, suite } = answer
    const own = this.#described.find((one) => one.tag === tag && one.suite === suite)
    if (own !== undefined) this.#peer = answer
    return own
  }

  #keyOf(suite: SrtpSuite): string {
    const key = this.#keys.get(suite) ?? newMasterKey(suite)
    this.#keys.set(suite, key)
    return key
  }
}
