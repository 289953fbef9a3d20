/** The caller in an INVITE's headers other than From. Pure. */
import { parseNameAddrList } from '../../platform/sip-grammar/name-addr.js'
import { userOf } from '../../platform/sip-grammar/plain-uri.js'

interface Header {
  readonly name: string
  readonly value: string
}

export interface AssertedParty {
  readonly uri: string
  readonly user: string | undefined
  readonly displayName: string | undefined
}

/** Returns the callers in P-Asserted-Identity (RFC 3325) or Remote-Party-ID, in order. */
export function assertedParties(
  headers: readonly Header[],
  name: 'P-Asserted-Identity' | 'Remote-Party-ID',
): readonly AssertedParty[] {
  return headers
    .filter((header) => header.name.toLowerCase() === name.toLowerCase())
    .flatMap(({ value }) => parseNameAddrList(value) ?? [])
    .filter(({ params }) => (params['party'] ?? 'calling') === 'calling')
    .map(({ uri, displayName }) => ({ uri, user: userOf(uri), displayName }))
}

/**
 * True when the caller is hidden: by Privacy (RFC 3323 §4.2, RFC 3325 §9.3), or by the privacy parameter of
 * Remote-Party-ID.
 */
export function hidesCaller(headers: readonly Header[]): boolean {
  const valueOf = (wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? ''
  if (/\b(?:id|user|header|full)\b/i.test(valueOf('privacy'))) return true
  return /;\s*privacy\s*=\s*"?(?:full|uri)\b/i.test(valueOf('remote-party-id'))
}
