import type { SrfRequest } from 'drachtio-srf'
import { sipText } from './sip-text.js'

/** Reliable provisional responses (RFC 3262). */
export const RELIABLE = '100rel'

/** The extensions that we support: RFC 3262 and RFC 4028. */
export const SUPPORTED = [RELIABLE, 'timer']

/** Methods that we support for calls (RFC 3261 §20.5). */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, PRACK, UPDATE, REFER, NOTIFY'

/**
 * Our capabilities in the 200 of an INVITE (RFC 3261 §13.3.1.4) and in an INVITE (§13.2.1). Reliable
 * provisional responses are not offered: each would cost a PRACK round trip before the answer. Peers can
 * still require them.
 */
export const CALL_CAPABILITIES = { Allow: ALLOW, Supported: 'timer' }

/** True for a request that requires the extension; option tags are case-insensitive. */
export function requires(req: SrfRequest, tag: string): boolean {
  return requiredBy(req).some((required) => required.toLowerCase() === tag)
}

/**
 * Returns the headers of the 420 for a request that requires an unsupported extension (RFC 3261 §8.2.2.3);
 * undefined when it requires none.
 */
export function unsupportedBy(req: SrfRequest): { readonly Unsupported: string } | undefined {
  const missing = requiredBy(req).filter((tag) => !SUPPORTED.includes(tag.toLowerCase()))
  return missing.length === 0 ? undefined : { Unsupported: sipText(missing.join(', ')) }
}

function requiredBy(req: SrfRequest): string[] {
  const tags = (req.get('Require') ?? '').split(',').map((tag) => tag.trim())
  return tags.filter((tag) => tag !== '')
}
