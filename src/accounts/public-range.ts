/** The rule for entries of an access list. Pure. */
import ipaddr from 'ipaddr.js'
import type { JudgeAddress } from '../platform/http/address-policy.js'

/** The widths that a range may have. */
export const MASKS = [8, 16, 24, 32]
/** One text for each range, since ranges are looked up as texts: a mask has no leading zero. */
const SYNTAX = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\/(0|[1-9]\d?)$/
/** Ranges that are not routed on the Internet, and that a wider range may hold. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/**
 * Tells what is wrong with an entry of an access list; undefined when nothing is. A private range is
 * taken where `allowsPrivate` allows both of its ends.
 */
export function rangeProblem(cidr: string, allowsPrivate?: JudgeAddress): string | undefined {
  const [, address = '', bits = ''] = SYNTAX.exec(cidr) ?? []
  if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return 'an IPv4 CIDR is expected'
  const mask = Number(bits)
  if (!MASKS.includes(mask)) return 'the mask must be /8, /16, /24 or /32'
  const network = ipaddr.IPv4.networkAddressFromCIDR(cidr)
  if (network.toString() !== ipaddr.IPv4.parse(address).toString())
    return `the range begins at ${network.toString()}`
  const isRouted =
    network.range() === 'unicast' &&
    PRIVATE.every(([hidden, width]) => width < mask || !hidden.match(network, mask))
  const isTaken = isRouted || (allowsPrivate !== undefined && isOpenPrivate(cidr, allowsPrivate))
  return isTaken ? undefined : 'only public, routable addresses are taken'
}

/** True for a range inside a private one whose both ends are allowed. */
function isOpenPrivate(cidr: string, allows: JudgeAddress): boolean {
  const [network, mask] = ipaddr.IPv4.parseCIDR(cidr)
  const isWithin = PRIVATE.some(([hidden, width]) => width <= mask && network.match(hidden, width))
  const ends = [network, ipaddr.IPv4.broadcastAddressFromCIDR(cidr)]
  return isWithin && ends.every((end) => allows(end.toString()).isAllowed)
}
