/** Compares a server's certificate with the SIP domain that a request is for (RFC 5922 §7). Pure. */
import { isIP } from 'node:net'

/** The parts of a certificate that name its owner, as Node writes them. */
export interface CertificateNames {
  /** `DNS:sip.example, URI:sip:example, IP Address:192.0.2.1`; undefined without the extension. */
  readonly subjectaltname?: string | undefined
  readonly subject?: { readonly CN?: string | readonly string[] } | undefined
}

/**
 * True when the certificate is for this domain, or for this address. A `*` in place of the first label
 * stands for one label (RFC 6125 §6.4.3). RFC 5922 §7.2 forbids that, and carriers show such
 * certificates all the same.
 */
export function isFor(wanted: string, names: CertificateNames): boolean {
  const bare = wanted.replace(/\.$/, '').toLowerCase()
  if (isIP(bare) !== 0) return addressesOf(names).some((each) => each === canonical(bare))
  return domainsOf(names).some((domain) => domain === bare || coversByWildcard(domain, bare))
}

/** No wildcard stands for a whole top-level domain, and none is matched inside a label. */
function coversByWildcard(domain: string, wanted: string): boolean {
  if (!/^\*(?:\.[a-z0-9-]+){2,}$/.test(domain)) return false
  const dot = wanted.indexOf('.')
  return dot > 0 && wanted.slice(dot) === domain.slice(1)
}

/** The SIP domains of a certificate (RFC 5922 §7.1). The common name counts where there is no other. */
function domainsOf({ subjectaltname, subject }: CertificateNames): readonly string[] {
  if (subjectaltname === undefined) {
    const { CN } = subject ?? {}
    const name = typeof CN === 'string' ? CN : CN?.at(-1)
    return name === undefined ? [] : [name.toLowerCase()]
  }
  return entriesOf(subjectaltname).flatMap(([type, value]) => {
    if (type === 'DNS') return [value.toLowerCase()]
    // A URI with a user names that user, not the domain.
    const [, host] = /^sip:([^@;?:*]+)$/i.exec(type === 'URI' ? value : '') ?? []
    return host === undefined ? [] : [host.toLowerCase()]
  })
}

function addressesOf({ subjectaltname = '' }: CertificateNames): readonly string[] {
  return entriesOf(subjectaltname)
    .filter(([type, value]) => type === 'IP Address' && isIP(value) !== 0)
    .map(([, value]) => canonical(value))
}

/** The entries of a list. Node puts a value with odd characters between quotes: it names nobody. */
function entriesOf(list: string): readonly (readonly [type: string, value: string])[] {
  const entries = list.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g)
  return [...entries].flatMap(([, type = '', value = '']) =>
    value.startsWith('"') ? [] : [[type, value] as const],
  )
}

/** One spelling of an address; IPv6 has many (RFC 5952 §2). */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address
}
