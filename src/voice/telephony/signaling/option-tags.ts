import type { SrfRequest } from 'drachtio-srf'
import { sipText } from './sip-text.js'

/** The extensions that calls here have: RFC 3262 and RFC 4028. */
export const SUPPORTED = ['100rel', 'timer']

/**
 * The headers of the 420 for a request that requires an extension which calls here do not have (RFC
 * 3261 §8.2.2.3); undefined when it requires none such.
 */
export function unsupportedBy(req: SrfRequest): { readonly Unsupported: string } | undefined {
  const tags = (req.get('Require') ?? '').split(',').map((tag) => tag.trim())
  const missing = tags.filter((tag) => tag !== '' && !SUPPORTED.includes(tag.toLowerCase()))
  return missing.length === 0 ? undefined : { Unsupported: sipText(missing.join(', ')) }
}
