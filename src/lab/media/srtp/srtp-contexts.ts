import type { SrtpKeys } from '../model/remote-media.js'
import { RTP_TAG_BYTES, RtcpProtection, RtpProtection } from './srtp-protection.js'
import { FORGED, REPLAYED, RtcpVerification, RtpVerification } from './srtp-verification.js'

interface Outgoing {
  readonly rtp: RtpProtection
  readonly rtcp: RtcpProtection
}

interface Incoming {
  readonly rtp: RtpVerification
  readonly rtcp: RtcpVerification
}

/**
 * The cryptographic contexts of one endpoint (RFC 3711 §3.2); none while its audio is unencrypted.
 * A key that stays in a new offer and answer keeps its context, and so its packet count.
 */
export class SrtpContexts {
  readonly counts = { forged: 0, replayed: 0 }
  readonly #onForged: () => void
  #keys: SrtpKeys | undefined
  #outgoing: Outgoing | undefined
  #incoming: Incoming | undefined

  /** `onForged` is called at the first packet that was not made with the peer's key. */
  constructor(onForged: () => void) {
    this.#onForged = onForged
  }

  /** Number of bytes that SRTP adds to each sent packet. */
  get tagBytes(): number {
    return this.#keys === undefined ? 0 : RTP_TAG_BYTES[this.#keys.suite]
  }

  setKeys(keys: SrtpKeys | undefined): void {
    const before = this.#keys
    this.#keys = keys
    const isNew = (which: 'sendKey' | 'receiveKey'): boolean =>
      before?.suite !== keys?.suite || before?.[which] !== keys?.[which]
    if (isNew('sendKey')) this.#outgoing = keys && outgoingOf(keys)
    if (isNew('receiveKey')) this.#incoming = keys && incomingOf(keys)
  }

  /** Encrypts and authenticates RTP or RTCP in place, if keys are set. Returns the length to send. */
  protect(stream: 'rtp' | 'rtcp', packet: Buffer, size: number): number {
    return this.#outgoing === undefined ? size : this.#outgoing[stream].protect(packet, size)
  }

  /**
   * Decrypts a packet in place. Returns the length of the plain packet; undefined when it is
   * refused.
   */
  unprotect(stream: 'rtp' | 'rtcp', packet: Buffer): number | undefined {
    if (this.#incoming === undefined) return packet.length
    const size = this.#incoming[stream].unprotect(packet)
    if (size === REPLAYED) this.counts.replayed++
    if (size === FORGED && this.counts.forged++ === 0) this.#onForged()
    return size < 0 ? undefined : size
  }
}

function outgoingOf({ sendKey, suite }: SrtpKeys): Outgoing {
  const master = Buffer.from(sendKey, 'base64')
  return { rtp: new RtpProtection(master, suite), rtcp: new RtcpProtection(master) }
}

function incomingOf({ receiveKey, suite }: SrtpKeys): Incoming {
  const master = Buffer.from(receiveKey, 'base64')
  return { rtp: new RtpVerification(master, suite), rtcp: new RtcpVerification(master) }
}
