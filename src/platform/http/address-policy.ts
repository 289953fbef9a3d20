/**
 * Decides which addresses customers' URLs may reach. Only resolved addresses are checked, never names: a name
 * proves nothing, and odd spellings of an address (octal, hex, full-width digits) are normalized by the
 * resolution.
 */
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { parseCidr, parseRange } from '../cidr.js'

export interface AddressPolicy {
  /**
   * The mode: `allow-private` opens this machine and its local networks too, as a lab on a
   * developer's desk needs.
   */
  readonly mode: 'public-only' | 'allow-private'
  /** Addresses and CIDRs that are allowed in every mode. */
  readonly allow: readonly string[]
  /**
   * The listeners of this process that no customer's URL reaches, whatever `allow` says. They are
   * read for each address, since a listener on port 0 learns its port late.
   */
  readonly closed?: () => readonly ClosedListener[]
}

export interface ClosedListener {
  /** The address that it listens on; `0.0.0.0` and `::` are all addresses of this machine. */
  readonly host: string
  readonly port: number
}

/** Returns whether a connection to the port of the address is allowed. */
export type JudgeAddress = (address: string, port?: number) => Verdict

export type Verdict =
  | { readonly isAllowed: true }
  /**
   * A refusal; `range` names the registry entry, for the operator's log only, since it would map
   * our network.
   */
  | { readonly isAllowed: false; readonly range: string }

type Address = ipaddr.IPv4 | ipaddr.IPv6

const ALLOWED: Verdict = { isAllowed: true }

/**
 * The local ranges that `allow-private` opens; link-local is not among them, since metadata
 * services live there.
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
])

/**
 * Cloud metadata services outside link-local. They give credentials to anybody who asks, so only an explicit
 * CIDR opens them.
 */
const CLOUD_SERVICES: readonly string[] = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
]

/**
 * The global unicast addresses: all of IPv6 that IANA has given out for the public network (RFC
 * 4291 §2.4).
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/**
 * The well-known prefix of NAT64: the last 32 bits are the IPv4 address behind it (RFC 6052 §2.1).
 */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Compiles a policy; throws for an allow entry that is neither an address nor a CIDR. */
export function createAddressPolicy(policy: AddressPolicy): JudgeAddress {
  const allow = policy.allow.map(parseRange)
  const cloud = CLOUD_SERVICES.map(parseCidr)
  const closed = policy.closed ?? (() => [])
  return (text, port) => {
    const address = parseAddress(text)
    if (address === undefined) return refuse('not an address')
    if (closed().some((listener) => listener.port === port && reaches(address, listener.host)))
      return refuse('private listener')
    if (allow.some((cidr) => isWithin(address, cidr))) return ALLOWED
    if (cloud.some((cidr) => isWithin(address, cidr))) return refuse('cloud service')
    const range = rangeOf(address)
    if (range === 'unicast') return ALLOWED
    if (policy.mode === 'allow-private' && PRIVATE_RANGES.has(range)) return ALLOWED
    return refuse(range)
  }
}

/** True when a connection to the address ends at a listener on `host`, the port being the same. */
function reaches(address: Address, host: string): boolean {
  const range = address.range()
  // On Linux a connection to the unspecified address goes to this machine.
  const isLoopback = range === 'loopback' || address.toByteArray().every((byte) => byte === 0)
  const bound = parseAddress(host.replace(/^\[|\]$/g, ''))
  if (bound?.range() === 'loopback') return isLoopback
  if (bound !== undefined && bound.range() !== 'unspecified')
    return bound.kind() === address.kind() && bound.toString() === address.toString()
  // All addresses of this machine, or a name for one of them.
  return isLoopback || isOfThisMachine(address)
}

function isOfThisMachine(address: Address): boolean {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((entry) => parseAddress(entry.address)?.toString() === address.toString())
}

function rangeOf(address: Address): string {
  const range = address.range()
  // Unassigned blocks, IPv4-compatible ::127.0.0.1 among them, count as unicast in the library.
  const isUnassigned = address.kind() === 'ipv6' && !isWithin(address, GLOBAL_UNICAST)
  return range === 'unicast' && isUnassigned ? 'unassigned' : range
}

/**
 * Returns the address that a packet really reaches: IPv4 in an IPv4-mapped or NAT64 address is checked as IPv4.
 * 6to4 and Teredo stay and are refused: both are obsolete.
 */
function parseAddress(text: string): Address | undefined {
  // A zone would select an interface of ours; getaddrinfo may add one to link-local addresses only.
  if (text.includes('%')) return undefined
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv6' && isWithin(address, NAT64))
    return ipaddr.fromByteArray(address.toByteArray().slice(12))
  return address
}

function isWithin(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function refuse(range: string): Verdict {
  return { isAllowed: false, range }
}
