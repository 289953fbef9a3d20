/** What the headers of an INVITE say of its caller beside From. Pure. */
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

/** The parties that P-Asserted-Identity (RFC 3325) or Remote-Party-ID names as the caller, in order. */
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
 * True when the caller does not want to be shown: by Privacy (RFC 3323 §4.2, RFC 3325 §9.3), or by the
 * privacy of Remote-Party-ID.
 */
export function hidesCaller(headers: readonly Header[]): boolean {
  const valueOf = (wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? ''
  if (/\b(?:id|user|header|full)\b/i.test(valueOf('privacy'))) return true
  return /;\s*privacy\s*=\s*"?(?:full|uri)\b/i.test(valueOf('remote-party-id'))
}
