import {
  type CryptoAttribute,
  newMasterKey,
  type SrtpSuite,
} from '../../../platform/sdes/crypto-attribute.js'

/** The suites in the order in which we offer them. */
const SUITES: readonly SrtpSuite[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
  'AES_256_CM_HMAC_SHA1_80',
  'AES_256_CM_HMAC_SHA1_32',
]

/**
 * Our own SDES keys in one call, one per suite. As with FreeSWITCH, they stay while the peer's key
 * stays; an offer with a new peer key is answered with a new key of ours.
 */
export class LocalKeys {
  readonly #keys = new Map<SrtpSuite, string>()
  /** The attributes in our last description, which an answer may accept. */
  #described: readonly CryptoAttribute[] = []
  /** The peer's attribute in use. */
  #peer: CryptoAttribute | undefined

  /** Returns every suite at first; after an agreement, only the agreed suite under its tag. */
  offered(): readonly CryptoAttribute[] {
    const { tag, suite } = this.#peer ?? {}
    const agreed = tag !== undefined && suite !== undefined ? [{ tag, suite }] : undefined
    const offered = agreed ?? SUITES.map((one, index) => ({ tag: index + 1, suite: one }))
    this.#described = offered.map((one) => ({ ...one, key: this.#keyOf(one.suite) }))
    return this.#described
  }

  /** Returns the attribute that accepts one of the peer's offer: its tag and suite, our key. */
  answerTo(peer: CryptoAttribute): CryptoAttribute {
    // A used key never encrypts again: its packet count would restart.
    const isSame = this.#peer?.key === peer.key && this.#peer.suite === peer.suite
    if (this.#peer !== undefined && !isSame) this.#keys.clear()
    this.#peer = peer
    const own = { ...peer, key: this.#keyOf(peer.suite) }
    this.#described = [own]
    return own
  }

  /** Returns the offered attribute that the peer's answer accepts; undefined when none matches. */
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
