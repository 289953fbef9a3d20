import {
  type CryptoAttribute,
  newMasterKey,
  type SrtpSuite,
} from '../../../platform/sdes/crypto-attribute.js'

/** The suites in the order in which they are offered. */
const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32']

/**
 * Our own SDES keys in one call, one for each suite. As with FreeSWITCH they stay while the peer's
 * stays, and an offer with another key of the peer is answered with another one of ours.
 */
export class LocalKeys {
  readonly #keys = new Map<SrtpSuite, string>()
  #peerKey: string | undefined

  offered(): readonly CryptoAttribute[] {
    return SUITES.map((suite, index) => ({ tag: index + 1, suite, key: this.#keyOf(suite) }))
  }

  /** The attribute that accepts one of the peer's offer: its tag and suite, our key. */
  answerTo(peer: CryptoAttribute): CryptoAttribute {
    if (this.#peerKey !== undefined && this.#peerKey !== peer.key) this.#keys.delete(peer.suite)
    this.#peerKey = peer.key
    return { ...peer, key: this.#keyOf(peer.suite) }
  }

  /** The attribute of our offer that the peer's answer accepts; undefined when there is no such one. */
  acceptedBy(answer: CryptoAttribute): CryptoAttribute | undefined {
    const { tag, suite, key } = answer
    const own = this.offered().find((one) => one.tag === tag && one.suite === suite)
    if (own !== undefined) this.#peerKey = key
    return own
  }

  #keyOf(suite: SrtpSuite): string {
    const key = this.#keys.get(suite) ?? newMasterKey()
    this.#keys.set(suite, key)
    return key
  }
}
