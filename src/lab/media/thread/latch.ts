/**
 * Symmetric RTP: whose packets are heard, and where ours go.
 *
 * The SDP says where the peer is, but behind a NAT its packets come from elsewhere. The first valid
 * source from a plausible place is latched; all others are ignored from then on. A better source (the
 * very address and port of the SDP, then another port of that address) displaces a worse one, so that
 * nobody who was merely faster can keep the peer out; an equal one may follow when the latched one has
 * been silent for a while (a NAT that chose a new port).
 */

/** How well a source agrees with the SDP. */
const STRANGER = 0
const BEHIND_NAT = 1
const SAME_ADDRESS = 2
const EXACT = 3
type Rank = typeof STRANGER | typeof BEHIND_NAT | typeof SAME_ADDRESS | typeof EXACT

const SILENT_MS = 2000

export class Latch {
  #signalledAddress = ''
  #signalledPort = 0
  /** Where packets go: the latched source, else what the SDP says. */
  #address = ''
  #port = 0
  #rank: Rank = STRANGER
  #lastHeardMs = 0

  get address(): string {
    return this.#address
  }

  get port(): number {
    return this.#port
  }

  get isLatched(): boolean {
    return this.#rank !== STRANGER
  }

  /** A new SDP; one that names the same place (a re-INVITE for hold) changes nothing. */
  setSignalled(address: string, port: number): void {
    if (address === this.#signalledAddress && port === this.#signalledPort) return
    this.#signalledAddress = address
    this.#signalledPort = port
    this.#address = address
    this.#port = port
    this.#rank = STRANGER
  }

  /** Whether a valid packet from there is the peer's; latches as a side effect. */
  accepts(address: string, port: number, nowMs: number): boolean {
    if (this.#rank !== STRANGER && port === this.#port && address === this.#address) {
      this.#lastHeardMs = nowMs
      return true
    }
    const rank = this.#rankOf(address, port)
    const isSilent = nowMs - this.#lastHeardMs >= SILENT_MS
    if (rank === STRANGER || rank < this.#rank) return false
    if (rank === this.#rank && !isSilent) return false
    this.#rank = rank
    this.#address = address
    this.#port = port
    this.#lastHeardMs = nowMs
    return true
  }

  #rankOf(address: string, port: number): Rank {
    if (address === this.#signalledAddress)
      return port === this.#signalledPort ? EXACT : SAME_ADDRESS
    return isUnroutable(this.#signalledAddress) ? BEHIND_NAT : STRANGER
  }
}

/** Ranges that mean nothing outside their own network: first address and mask, as numbers. */
const UNROUTABLE = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
].map(([address, bits]) => ({ start: toNumber(String(address)), size: 2 ** (32 - Number(bits)) }))

/** Also true of names, which we do not resolve. */
function isUnroutable(address: string): boolean {
  if (address.includes(':')) return /^(?:f[cd]|fe[89ab]|::$)/i.test(address)
  if (!/^[\d.]+$/.test(address)) return true
  const at = toNumber(address)
  return UNROUTABLE.some((range) => at >= range.start && at < range.start + range.size)
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}
