/** The headers of an inbound INVITE that an application sees. Pure. */
import { type NameAddr, parseNameAddrList } from '../../platform/sip-grammar/name-addr.js'
import { plainUri, userOf } from '../../platform/sip-grammar/plain-uri.js'
import { numberFromSipUser } from './address.js'

export type SipHeaders = readonly (readonly [name: string, value: string])[]

interface Header {
  readonly name: string
  readonly value: string
}

/**
 * The most headers. Every webhook of the call carries them, as a GET in its URL, so further or
 * longer ones are left out.
 */
const MAX_HEADERS = 20
const MAX_NAME_CHARS = 64
const MAX_VALUE_CHARS = 1_024

/** The headers `X-…` and `User-to-User` (RFC 7433), in order. */
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
 * The party that forwarded the call here last, as a number when it is one: the topmost Diversion (RFC
 * 5806), else whom the History-Info (RFC 7044) names. Undefined for one that does not want to be shown.
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
 * The entry that the call was forwarded from last: the one that the last `mp` names (RFC 7044 §5.2), or
 * the one before the last that has a `cause` (RFC 4458 §2).
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

/** The URI without the headers that an entry of the history has, whose text follows no grammar. */
function withoutHeaders(uri: string): string {
  return uri.replace(/\?.*$/, '')
}
