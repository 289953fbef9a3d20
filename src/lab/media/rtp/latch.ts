/**
 * Symmetric RTP: decides whose packets are heard, and where ours go. The SDP says where the peer
 * is. Behind a NAT its packets come from elsewhere, and then only two places are believed: the
 * address that the signalling came from, and a media relay that the settings name. Such a place
 * must be heard soon after media begins to flow; a stranger never is, however early or late it
 * sends. A source that agrees better with the SDP displaces a worse one. Otherwise the latched
 * address stays: only its port may change, once it has been silent for a while (a NAT that chose a
 * new port). Nothing displaces a peer that was heard from the very address and port of its SDP.
 */
import type { MediaRelays } from './media-relays.js'

/** The lowest rank of a source. The rank says how well the source agrees with the SDP. */
const STRANGER = 0
/** The rank of the signalling's source address, and of a media relay. */
const VOUCHED_FOR = 1
const SAME_ADDRESS = 2
const EXACT = 3
type Rank = typeof STRANGER | typeof VOUCHED_FOR | typeof SAME_ADDRESS | typeof EXACT

const SILENT_MS = 2000
/** Time after our first packet within which the source of a peer behind a NAT is learnt, ms. */
const LEARNING_MS = 10_000

export interface SignalledPlace {
  readonly address: string
  readonly port: number
  /** The source address of the SIP message with the SDP; without it only the SDP counts. */
  readonly signallingAddress?: string | undefined
}

export class Latch {
  readonly #relays: MediaRelays
  #signalled: SignalledPlace = { address: '', port: 0 }
  /** The destination address of our packets: the latched source, or else the SDP's. */
  #address = ''
  #port = 0
  #rank: Rank = STRANGER
  #lastHeardMs = 0
  /**
   * The end of the learning time; undefined until we send, since a caller that still hears ringing
   * sends nothing either.
   */
  #learnsUntilMs: number | undefined

  constructor(relays: MediaRelays) {
    this.#relays = relays
  }

  get address(): string {
    return this.#address
  }

  get port(): number {
    return this.#port
  }

  get isLatched(): boolean {
    return this.#rank !== STRANGER
  }

  /**
   * Sets the peer's address from a new SDP; the same address again (a re-INVITE for hold) changes nothing.
   */
  setSignalled(place: SignalledPlace): void {
    const { address, port } = this.#signalled
    const isSamePlace = address === place.address && port === place.port
    this.#signalled = place
    if (isSamePlace) return
    this.#address = place.address
    this.#port = place.port
    this.#rank = STRANGER
    this.#learnsUntilMs = undefined
  }

  /** Starts the learning time, within which a peer behind a NAT must send its first packet. */
  onSending(nowMs: number): void {
    this.#learnsUntilMs ??= nowMs + LEARNING_MS
  }

  /** True when a valid packet from this source belongs to the peer. Latches the source as a side effect. */
  accepts(address: string, port: number, nowMs: number): boolean {
    if (this.#rank !== STRANGER && port === this.#port && address === this.#address) {
      this.#lastHeardMs = nowMs
      return true
    }
    const rank = this.#rankOf(address, port)
    if (!this.#mayFollow(rank, address, nowMs)) return false
    this.#rank = rank
    this.#address = address
    this.#port = port
    this.#lastHeardMs = nowMs
    return true
  }

  /** True when a source of this rank may be latched, first or in place of the current one. */
  #mayFollow(rank: Rank, address: string, nowMs: number): boolean {
    if (rank === STRANGER || rank < this.#rank) return false
    if (rank === this.#rank)
      return address === this.#address && nowMs - this.#lastHeardMs >= SILENT_MS
    const isLearning = this.#learnsUntilMs === undefined || nowMs < this.#learnsUntilMs
    return rank > VOUCHED_FOR || isLearning
  }

  #rankOf(address: string, port: number): Rank {
    const { signallingAddress, ...signalled } = this.#signalled
    if (address === signalled.address) return port === signalled.port ? EXACT : SAME_ADDRESS
    if (this.#relays.has(address)) return VOUCHED_FOR
    const isBehindNat = address === signallingAddress && isUnroutable(signalled.address)
    return isBehindNat ? VOUCHED_FOR : STRANGER
  }
}

/** Non-routable address ranges: first address and mask, as numbers. */
const UNROUTABLE = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
].map(([address, bits]) => ({ start: toNumber(String(address)), size: 2 ** (32 - Number(bits)) }))

/** True for an address that is not routable, and for names, which are not resolved. */
function isUnroutable(address: string): boolean {
  if (address.includes(':')) return /^(?:f[cd]|fe[89ab]|::$)/i.test(address)
  if (!/^[\d.]+$/.test(address)) return true
  const at = toNumber(address)
  return UNROUTABLE.some((range) => at >= range.start && at < range.start + range.size)
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}
