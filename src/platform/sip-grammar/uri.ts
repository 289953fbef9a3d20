import {
  areAllIn,
  areAllInOrEscaped,
  escapePercent,
  HOST,
  isIn,
  PASSWORD,
  parseDecimal,
  TOKEN,
  URI_PARAM,
  USER,
  unescapePercent,
} from './characters.js'
import { noParams, type Params } from './scan.js'

export interface SipUri {
  readonly scheme: 'sip' | 'sips' | 'tel'
  readonly user?: string
  readonly password?: string
  readonly host: string
  readonly port?: number
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

const MAX_PORT = 65_535

/** The scheme in lower case; undefined when the text is no absolute URI at all. */
export function schemeOf(uri: string): string | undefined {
  const colon = uri.indexOf(':')
  if (colon < 1 || colon === uri.length - 1) return undefined
  const first = uri.charCodeAt(0) | 0x20
  if (first < 0x61 || first > 0x7a) return undefined
  // scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
  for (let i = 1; i < colon; i++) {
    const code = uri.charCodeAt(i)
    if (!(isIn(HOST, code) && code !== 0x5f) && code !== 0x2b) return undefined
  }
  return uri.slice(0, colon).toLowerCase()
}

/**
 * True for a scheme and a colon with no character behind them that would end a URI between angle
 * brackets.
 */
export function isAbsoluteUri(uri: string): boolean {
  if (schemeOf(uri) === undefined) return false
  for (let i = 0; i < uri.length; i++) {
    const code = uri.charCodeAt(i)
    if (code <= 0x20 || code === 0x22 || code === 0x3c || code === 0x3e || code === 0x7f)
      return false
  }
  return true
}

/**
 * Parses a SIP, SIPS or telephone URI; undefined when it is malformed or has another scheme. User,
 * parameters and headers are unescaped, once (RFC 3261 §19.1.2); parameter names are in lower case.
 */
export function parseUri(uri: string): SipUri | undefined {
  const scheme = schemeOf(uri)
  if (scheme === 'tel') return parseTel(uri)
  if (scheme !== 'sip' && scheme !== 'sips') return undefined
  const start = scheme.length + 1
  const at = uri.indexOf('@', start)
  // The user may hold ';' and '?' unescaped, so only what follows the '@' is searched for them.
  const hostStart = at === -1 ? start : at + 1
  const question = uri.indexOf('?', hostStart)
  const headersStart = question === -1 ? uri.length : question
  const semicolon = uri.slice(0, headersStart).indexOf(';', hostStart)
  const hostEnd = semicolon === -1 ? headersStart : semicolon

  const userinfo = at === -1 ? {} : parseUserinfo(uri.slice(start, at))
  const hostport = parseHostport(uri.slice(hostStart, hostEnd))
  const params = parsePairs(uri.slice(hostEnd + 1, headersStart), ';', hostEnd < headersStart)
  const headers = parsePairs(uri.slice(headersStart + 1), '&', question !== -1)
  if (!userinfo || !hostport || !params || !headers) return undefined
  return { scheme, ...userinfo, ...hostport, params, headers }
}

function parseUserinfo(text: string): { user?: string; password?: string } | undefined {
  const colon = text.indexOf(':')
  const user = colon === -1 ? text : text.slice(0, colon)
  if (!areAllInOrEscaped(USER, user)) return undefined
  // An empty user is outside the grammar, but gateways send it for a withheld number.
  if (colon === -1) return user === '' ? {} : { user: unescapePercent(user) }
  const password = text.slice(colon + 1)
  if (!areAllInOrEscaped(PASSWORD, password)) return undefined
  return { user: unescapePercent(user), password: unescapePercent(password) }
}

/** Parses `host [":" port]`; an IPv6 reference loses its brackets. */
export function parseHostport(text: string): { host: string; port?: number } | undefined {
  const close = text.startsWith('[') ? text.indexOf(']') : -1
  const colon = text.indexOf(':', close + 1)
  const host = text.slice(0, colon === -1 ? text.length : colon)
  const name = close === -1 ? host : host.slice(1, -1)
  const isValid =
    close === -1 ? name !== '' && areAllIn(HOST, name) : close === host.length - 1 && isIpv6(name)
  if (!isValid) return undefined
  if (colon === -1) return { host: name }
  const port = text.length - colon > 6 ? undefined : parseDecimal(text.slice(colon + 1), MAX_PORT)
  // Nothing can be sent to port 0, though the grammar allows it.
  return port === undefined || port === 0 ? undefined : { host: name, port }
}

function isIpv6(host: string): boolean {
  for (let i = 0; i < host.length; i++) {
    const code = host.charCodeAt(i) | 0x20
    const isHex = (code >= 0x61 && code <= 0x66) || (code >= 0x30 && code <= 0x3a)
    if (!isHex && host[i] !== '.') return false
  }
  return host.includes(':')
}

function parsePairs(text: string, separator: string, isPresent: boolean): Params | undefined {
  const params = noParams()
  if (!isPresent) return params
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    if (name === '' || !areAllInOrEscaped(URI_PARAM, name)) return undefined
    // '?' is allowed in the headers' values only; in a parameter the first '?' ends it already.
    if (!areAllInOrEscaped(URI_PARAM | TOKEN, value, 0x3f)) return undefined
    params[unescapePercent(name).toLowerCase()] ??= unescapePercent(value)
  }
  return params
}

function parseTel(uri: string): SipUri | undefined {
  const semicolon = uri.indexOf(';')
  const end = semicolon === -1 ? uri.length : semicolon
  const user = uri.slice(4, end)
  const params = parsePairs(uri.slice(end + 1), ';', semicolon !== -1)
  // RFC 3966 §3: digits, visual separators, and the letters and signs of a local number.
  if (user === '' || !params || !areAllInOrEscaped(USER, user)) return undefined
  return { scheme: 'tel', user: unescapePercent(user), host: '', params, headers: noParams() }
}

export function formatHost(host: string, port?: number): string {
  const bracketed = host.includes(':') ? `[${host}]` : host
  return port === undefined ? bracketed : `${bracketed}:${port}`
}

/** The inverse of `parseUri`, escaping what the grammar wants escaped. */
export function formatUri(uri: SipUri): string {
  let text = `${uri.scheme}:`
  if (uri.user !== undefined) {
    text += escapePercent(uri.user, USER)
    if (uri.password !== undefined) text += `:${escapePercent(uri.password, PASSWORD)}`
    if (uri.scheme !== 'tel') text += '@'
  }
  if (uri.scheme !== 'tel') text += formatHost(uri.host, uri.port)
  text += formatPairs(uri.params, ';', ';')
  return text + formatPairs(uri.headers, '?', '&')
}

function formatPairs(
  pairs: Readonly<Record<string, string>>,
  first: string,
  separator: string,
): string {
  let text = ''
  for (const name of Object.keys(pairs)) {
    const value = pairs[name] ?? ''
    text += (text === '' ? first : separator) + escapePercent(name, URI_PARAM)
    if (value !== '') text += `=${escapePercent(value, URI_PARAM)}`
  }
  return text
}
