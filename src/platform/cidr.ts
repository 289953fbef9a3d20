import ipaddr from 'ipaddr.js'

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128']
/** Loopback, link-local and private networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291). */
export const PRIVATE_NETWORKS: readonly string[] = [
  ...LOOPBACK,
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10'],
]

/**
 * True when the address is in one of the ranges, each a CIDR or an address. IPv4-mapped IPv6 counts as IPv4. A
 * text that is no address is in no range; throws for a malformed range.
 */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const source = ipaddr.process(address)
  return parsedRanges(ranges).some(
    ([network, bits]) => network.kind() === source.kind() && source.match(network, bits),
  )
}

/** True for `localhost` and loopback addresses; an IPv6 address may have brackets. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || isInRanges(bare, LOOPBACK)
}

type Parsed = ReturnType<typeof ipaddr.parseCIDR>

/** Parsed lists of ranges, cached since every request checks the same lists. */
const parsed = new WeakMap<readonly string[], readonly Parsed[]>()

function parsedRanges(ranges: readonly string[]): readonly Parsed[] {
  const known = parsed.get(ranges)
  if (known !== undefined) return known
  const made = ranges.map(parseRange)
  parsed.set(ranges, made)
  return made
}

/** Parses a CIDR, or an address as a range of one. Throws when it is neither. */
export function parseRange(text: string): Parsed {
  return parseCidr(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`)
}

/** Parses a CIDR; an IPv4-mapped one becomes IPv4. Throws when it is malformed. */
export function parseCidr(text: string): Parsed {
  const [address, bits] = ipaddr.parseCIDR(text)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96)
    return [address.toIPv4Address(), bits - 96]
  return [address, bits]
}

/**
 * Returns the network under which requests of an address are counted: for IPv6 its /64, which one customer has
 * as a whole (RFC 6177 §2); for IPv4-mapped IPv6 the IPv4 address. A text that is no address is returned as it
 * is.
 */
export function countedNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const source = ipaddr.process(address)
  if (source.kind() === 'ipv4') return source.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${source.toString()}/64`).toString()}/64`
}

/**
 * True for an address or a CIDR. IPv4 needs four decimal numbers, since `10/8` and `010.0.0.1` are ambiguous. A
 * zone is refused, since it has meaning on one machine only.
 */
export function isRange(text: string): boolean {
  const [address = ''] = text.split('/')
  if (text.includes('%')) return false
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false
  return address === text || ipaddr.isValidCIDR(text)
}
