import ipaddr from 'ipaddr.js'

/**
 * True when the address is in one of the ranges, each a CIDR or a single address. IPv4 inside IPv6
 * counts as the IPv4 address. A text that is no address is in no range; throws when a range is
 * malformed.
 */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const source = ipaddr.process(address)
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(
      range.includes('/') ? range : `${range}/${range.includes(':') ? 128 : 32}`,
    )
    return network.kind() === source.kind() && source.match(network, bits)
  })
}

export function isRange(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
}
