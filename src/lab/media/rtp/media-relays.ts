import { BlockList, isIP } from 'node:net'

/**
 * The addresses and CIDR ranges from which RTP is accepted although neither SDP nor signalling names them.
 */
export class MediaRelays {
  readonly #ranges = new BlockList()

  /** Throws RangeError for a text that is neither an address nor a CIDR. */
  constructor(ranges: readonly string[] = []) {
    for (const range of ranges) this.#add(range)
  }

  has(address: string): boolean {
    return isIP(address) !== 0 && this.#ranges.check(address, familyOf(address))
  }

  #add(range: string): void {
    const [address = '', bits] = range.split('/')
    if (isIP(address) === 0) throw new RangeError(`not an address or a CIDR: ${range}`)
    if (bits === undefined) this.#ranges.addAddress(address, familyOf(address))
    else this.#ranges.addSubnet(address, Number(bits), familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
