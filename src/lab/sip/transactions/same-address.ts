import { isIPv6 } from 'node:net'

/** True for two spellings of one numeric address; IPv6 has many (RFC 5952 §2). */
export function isSameAddress(a: string, b: string): boolean {
  return a === b || (isIPv6(a) && isIPv6(b) && canonical(a) === canonical(b))
}

function canonical(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
}
