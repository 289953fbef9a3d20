/** The headers of an inbound INVITE for the application. Pure. */
import { type NameAddr, parseNameAddrList } from '../../platform/sip-grammar/name-addr.js'
import { plainUri, userOf } from '../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from './address.js'

export type SipHeaders = readonly (readonly [name: string, value: string])[]

interface Header {
  readonly name: string
  readonly value: string
}

/**
 * Maximum number of headers. Every webhook of the call contains them, a GET in its URL, so more or longer
 * ones are omitted.
 */
const MAX_HEADERS = 20
const MAX_NAME_CHARS = 64
const MAX_VALUE_CHARS = 1_024

/** Returns the headers `X-…` and `User-to-User` (RFC 7433), in order. */
export function applicationHeaders(headers: readonly Header[]): SipHeaders {
  return headers
    .filter(
      ({ name, value }) =>
        /^(x-.|user-to-user$)/i.test(name) &&
        name.length <= MAX_NAME_CHARS &&
        value.length <= MAX_VALUE_CHARS,
    )
    .slice(0, MAX_HEADERS)
    .map(({ name, value }) => [name.replace(/^user-to-user$/i, 'User-to-User'), value])
}

/**
 * Returns the last party that forwarded the call, as a number if possible: from the topmost Diversion (RFC
 * 5806), else from History-Info (RFC 7044). Undefined when that party is hidden.
 */
export function forwardedFrom(headers: readonly Header[]): string | undefined {
  const [diversion] = addressesOf(headers, 'diversion')
  const party = diversion ?? forwarderIn(addressesOf(headers, 'history-info'))
  if (party === undefined || isHidden(party)) return undefined
  return numberFromSipUser(userOf(withoutHeaders(party.uri))) ?? plainUri(withoutHeaders(party.uri))
}

function addressesOf(headers: readonly Header[], wanted: string): readonly NameAddr[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === wanted)
    .flatMap(({ value }) => parseNameAddrList(value) ?? [])
}

/**
 * Returns the last entry that forwarded the call: the one that the last `mp` names (RFC 7044 §5.2), else the
 * one before the last entry with a `cause` (RFC 4458 §2).
 */
function forwarderIn(history: readonly NameAddr[]): NameAddr | undefined {
  const at = history.findLastIndex(
    ({ uri, params }) => 'mp' in params || /;cause=\d/i.test(withoutHeaders(uri)),
  )
  const mapped = history[at]?.params['mp']
  if (mapped === undefined) return history[at - 1]
  return history.find(({ params }) => params['index'] === mapped)
}

function isHidden({ uri, params }: NameAddr): boolean {
  return /^(?:full|uri)$/i.test(params['privacy'] ?? '') || /[?&]privacy=[^&]*history/i.test(uri)
}

/** Returns the URI without headers; those in History-Info follow no grammar. */
function withoutHeaders(uri: string): string {
  return uri.replace(/\?.*$/, '')
}
