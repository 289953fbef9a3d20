/**
 * Sip: a SIP address that Dial calls; several Uri children are tried in order.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | URL of markup for the called party, may be relative | none | – |
 * | method | GET, POST | POST | 13241 |
 * | sendDigits | up to 32 of 0-9 A-D # * w W | none | 13242 |
 * | username, password | for digest authentication | none | 13244 no username, 13249 |
 * | statusCallback…, machineDetection… | as of Number | | |
 * | (text) | sip: or sips: URI of up to 255 characters, with transport udp, tcp or tls, followed by `?X-Name=value&…` of fewer than 1024 | – | 13243, not dialled; 13251 headers |
 * | Uri username password priority weight | the same; lowest priority first, then highest weight | – | 13243, 13250 from the eleventh |
 * | Headers / Header name value | X-…, User-to-User, Remote-Party-ID, P-Preferred-Identity, P-Called-Party-ID | none | 13251, 13252, 13253 |
 */
import { parseHostport } from '../../../platform/sip-grammar/uri.js'
import { type AttributeReader, readAttributes } from './attributes.js'
import { type CalledParty, readCalledParty } from './dial-noun.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface SipNoun {
  readonly type: 'sip'
  readonly element: XmlElement
  /** The addresses to try, in order. */
  readonly targets: readonly [SipTarget, ...SipTarget[]]
  readonly headers: SipHeaders
  readonly party: CalledParty
}

export interface SipTarget {
  /** The URI without its headers. */
  readonly uri: string
  readonly auth: { readonly username: string; readonly password: string } | undefined
}

const CODES = { method: 13241, sendDigits: 13242 } as const
const MAX_URI = 255
const MAX_TARGETS = 10
const MAX_CREDENTIAL = 256
const SIP_URI =
  /^sips?:(?:[A-Za-z0-9\-_.!~*'()&=+$,;/%#]{1,128}@)?((?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:;[^\s<>"@?|]*)?$/i

/** The supported SIP transports. */
const TRANSPORTS: ReadonlySet<string> = new Set(['udp', 'tcp', 'tls'])

interface Candidate extends SipTarget {
  readonly headers: SipHeaders
  readonly priority: number
  readonly weight: number
}

/** Header values by name as written. */
type SipHeaders = Readonly<Record<string, string>>

const MAX_HEADERS = 50
const MAX_QUERY = 1_024
const KNOWN = ['user-to-user', 'remote-party-id', 'p-preferred-identity', 'p-called-party-id']

/** Reads a Sip; undefined when it contains no SIP URI. */
export function parseSip(element: XmlElement, warn: Warn): SipNoun | undefined {
  const read = readAttributes(element, warn)
  const party = readCalledParty(read, CODES)
  const auth = readAuth(read, warn)
  const candidates = readCandidates(element, auth, warn)
  const [first, ...rest] = candidates.map(({ uri, auth: own }): SipTarget => ({ uri, auth: own }))
  if (first === undefined) return undefined
  const headers = { ...candidates[0]?.headers, ...readHeaderElements(element, warn) }
  return { type: 'sip', element, targets: [first, ...rest], headers, party }
}

function readCandidates(
  element: XmlElement,
  auth: SipTarget['auth'],
  warn: Warn,
): readonly Candidate[] {
  const uris = element.children.filter(
    (child): child is XmlElement => child.type === 'element' && child.name === 'Uri',
  )
  if (uris.length > MAX_TARGETS)
    warn(13250, `Sip: ${uris.length} URIs are too many; the first ${MAX_TARGETS} are dialled`)
  if (uris.length === 0) return readUri(ownText(element), auth, { priority: 0, weight: 0 }, warn)
  return uris
    .slice(0, MAX_TARGETS)
    .flatMap((uri) => {
      const read = readAttributes(uri, warn)
      const order = { priority: count(read, 'priority'), weight: count(read, 'weight') }
      return readUri(textOf(uri), readAuth(read, warn) ?? auth, order, warn)
    })
    .sort((a, b) => a.priority - b.priority || b.weight - a.weight)
}

function count(read: AttributeReader, name: string): number {
  return read.integer(name, { min: 0, max: 65_535 }, { otherwise: 0, code: 12200 })
}

function readUri(
  text: string,
  auth: SipTarget['auth'],
  order: { readonly priority: number; readonly weight: number },
  warn: Warn,
): readonly Candidate[] {
  const written = text.trim()
  const [uri, query] = splitAt(written, '?')
  const hostport = SIP_URI.exec(uri)?.[1]
  if (uri.length > MAX_URI || hostport === undefined || !parseHostport(hostport)) {
    warn(13243, `Sip: "${written.slice(0, 60)}" is not a SIP URI; not dialled`)
    return []
  }
  const params = uri.slice(uri.lastIndexOf('@') + 1)
  const [, transport = 'udp'] = /;transport=([^;]*)/i.exec(params) ?? []
  if (!TRANSPORTS.has(transport.toLowerCase())) {
    warn(13243, `Sip: no call is sent over transport=${transport.slice(0, 60)}; not dialled`)
    return []
  }
  return [
    { uri: uri.replace(/^sip/i, 'sip'), auth, headers: readUriHeaders(query, warn), ...order },
  ]
}

/** Reads `X-Name=value&…`, percent-encoded (RFC 3261 §19.1.1). */
function readUriHeaders(query: string, warn: Warn): SipHeaders {
  if (query === '') return {}
  if (query.length >= MAX_QUERY) {
    warn(13251, `Sip: ${query.length} characters of headers are too many; ignored`)
    return {}
  }
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    return at === -1 ? ([pair, ''] as const) : ([pair.slice(0, at), pair.slice(at + 1)] as const)
  })
  return checkHeaders(
    pairs.map(([name, value]) => [name, decode(value)]),
    warn,
  )
}

function readHeaderElements(sip: XmlElement, warn: Warn): SipHeaders {
  const headers = elements(sip, 'Headers').flatMap((list) => elements(list, 'Header'))
  return checkHeaders(
    headers.map((header) => {
      const read = readAttributes(header, warn)
      return [read.text('name') ?? '', read.text('value')]
    }),
    warn,
  )
}

function checkHeaders(
  pairs: readonly (readonly [name: string, value: string | undefined])[],
  warn: Warn,
): SipHeaders {
  if (pairs.length > MAX_HEADERS)
    warn(13251, `Sip: ${pairs.length} headers are too many; the first ${MAX_HEADERS} are sent`)
  const headers: Record<string, string> = {}
  for (const [name, value] of pairs.slice(0, MAX_HEADERS)) {
    if (!isAllowed(name)) warn(13252, `Sip: the header "${name.slice(0, 40)}" cannot be sent`)
    // A value is text of one line (RFC 3261 §25.1).
    else if (value === undefined || /\p{Cc}/u.test(value))
      warn(13253, `Sip: not a value for the header ${name}`)
    else headers[name] = value
  }
  return headers
}

function isAllowed(name: string): boolean {
  if (KNOWN.includes(name.toLowerCase())) return true
  // The media server uses this header itself.
  return /^x-[A-Za-z0-9-]{1,62}$/i.test(name) && name.toLowerCase() !== 'x-esl-outbound'
}

function decode(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // The octets are not UTF-8.
    if (error instanceof URIError) return undefined
    throw error
  }
}

function elements(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => child.type === 'element' && child.name === name,
  )
}

function readAuth(read: AttributeReader, warn: Warn): SipTarget['auth'] {
  const username = read.text('username')
  const password = read.text('password') ?? ''
  if (username === undefined) {
    if (password !== '') warn(13244, 'Sip: a password without a username; ignored')
    return undefined
  }
  // The username is quoted in a header (RFC 3261 §25.1); the password is only hashed.
  if (
    !/^[^"\\\p{Cc}]+$/u.test(username) ||
    Math.max(username.length, password.length) > MAX_CREDENTIAL
  ) {
    warn(13249, 'Sip: not a username and password for digest authentication; ignored')
    return undefined
  }
  return { username, password }
}

function ownText(element: XmlElement): string {
  return element.children.map((child) => (child.type === 'text' ? child.text : '')).join('')
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
