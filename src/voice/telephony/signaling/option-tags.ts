import type { SrfRequest } from 'drachtio-srf'
import { sipText } from './sip-text.js'

/** Reliable provisional responses (RFC 3262). */
export const RELIABLE = '100rel'

/** The extensions that calls here have: RFC 3262 and RFC 4028. */
export const SUPPORTED = [RELIABLE, 'timer']

/** True for a request that requires the extension; option tags are compared without case. */
export function requires(req: SrfRequest, tag: string): boolean {
  return requiredBy(req).some((required) => required.toLowerCase() === tag)
}

/**
 * The headers of the 420 for a request that requires an extension which calls here do not have (RFC
 * 3261 §8.2.2.3); undefined when it requires none such.
 */
export function unsupportedBy(req: SrfRequest): { readonly Unsupported: string } | undefined {
  const missing = requiredBy(req).filter((tag) => !SUPPORTED.includes(tag.toLowerCase()))
  return missing.length === 0 ? undefined : { Unsupported: sipText(missing.join(', ')) }
}

function requiredBy(req: SrfRequest): string[] {
  const tags = (req.get('Require') ?? '').split(',').map((tag) => tag.trim())
  return tags.filter((tag) => tag !== '')
}
