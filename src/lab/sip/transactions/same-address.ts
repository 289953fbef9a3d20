import { isIPv6 } from 'node:net'

/** Whether two numeric addresses are the same one; an IPv6 address has many spellings (RFC 5952 §2). */
export function isSameAddress(a: string, b: string): boolean {
  return a === b || (isIPv6(a) && isIPv6(b) && canonical(a) === canonical(b))
}

function canonical(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
}
