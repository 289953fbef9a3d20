/** Reads everything before the body: start line and headers (RFC 3261 §7.1 to §7.3). */
import { areAllIn, DIGIT, isToken, TOKEN } from '../../../platform/sip-grammar/characters.js'
import { expandHeaderName } from './header-names.js'
import type { Flaw, MessageLimits } from './limits.js'
import type { SipHeader } from './types.js'

export type StartLine =
  | { readonly kind: 'request'; readonly method: string; readonly uri: string }
  | { readonly kind: 'response'; readonly status: number; readonly reason: string }

/** The length of the body. When it is absent or broken, the start of the next message is unknown. */
export type BodyLength = number | 'absent' | 'broken'

export interface Head {
  readonly startLine: StartLine
  readonly headers: readonly SipHeader[]
  readonly bodyLength: BodyLength
  /** The first fault found; the rest is parsed as far as possible, for the response. */
  readonly flaw: Flaw | undefined
}

/** Maximum number of digits of a Content-Length; a longer one is an attempt at an overflow. */
const MAX_LENGTH_DIGITS = 10

interface Draft {
  startLine: StartLine
  headers: SipHeader[]
  bodyLength: BodyLength
  flaw: Flaw | undefined
}

/** Parses a head. Returns undefined when the text is not SIP, so that no response is possible. */
export function readHead(
  text: string,
  limits: Pick<MessageLimits, 'headers' | 'headerChars'>,
): Head | undefined {
  const lines = text.split('\r\n')
  const start = readStartLine(lines[0] ?? '')
  if (start === undefined) return undefined
  const draft: Draft = { ...start, headers: [], bodyLength: 'absent' }
  if (hasStrayControl(text)) spoil(draft, 400, 'Control Character in Header')
  let line = ''
  for (let i = 1; i < lines.length; i++) {
    const next = lines[i] ?? ''
    const first = next.charCodeAt(0)
    if (first === 0x20 || first === 0x09) {
      // RFC 3261 §7.3.1: a folded line is one line with a single space instead of the fold.
      if (i === 1) spoil(draft, 400, 'Folded Start Line')
      line = `${trimSpace(line)} ${trimSpace(next)}`
    } else {
      addHeader(draft, line)
      line = next
    }
    if (draft.headers.length > limits.headers) {
      spoil(draft, 513, 'Too Many Headers')
      return draft
    }
  }
  addHeader(draft, line)
  if (draft.headers.some(({ value }) => value.length > limits.headerChars))
    spoil(draft, 400, 'Header Too Long')
  return draft
}

function spoil(draft: Draft, status: number, reason: string): void {
  draft.flaw ??= { status, reason }
}

function addHeader(draft: Draft, line: string): void {
  if (line === '') return
  const colon = line.indexOf(':')
  const name = trimSpace(colon === -1 ? line : line.slice(0, colon))
  if (colon === -1 || !isToken(name)) {
    spoil(draft, 400, 'Malformed Header')
    return
  }
  const value = trimSpace(line.slice(colon + 1))
  const header = { name: expandHeaderName(name), value }
  if (header.name === 'Content-Length') noteLength(draft, value)
  draft.headers.push(header)
}

/**
 * Notes a Content-Length. Two lengths, even equal ones, are a way to smuggle one message inside
 * another.
 */
function noteLength(draft: Draft, value: string): void {
  const isFirst = draft.bodyLength === 'absent'
  const isNumber = value !== '' && value.length <= MAX_LENGTH_DIGITS && areAllIn(DIGIT, value)
  draft.bodyLength = isFirst && isNumber ? Number(value) : 'broken'
  if (!isFirst) spoil(draft, 400, 'Repeated Content-Length')
  else if (!isNumber) spoil(draft, 400, 'Malformed Content-Length')
}

function readStartLine(line: string): Pick<Draft, 'startLine' | 'flaw'> | undefined {
  return line.slice(0, 4).toUpperCase() === 'SIP/' ? readStatusLine(line) : readRequestLine(line)
}

/**
 * Reads a status line (RFC 3261 §7.2). A response is never answered, so a malformed one yields
 * undefined.
 */
function readStatusLine(line: string): Pick<Draft, 'startLine' | 'flaw'> | undefined {
  if (line.slice(0, 8).toUpperCase() !== 'SIP/2.0 ') return undefined
  const code = line.slice(8, 11)
  if (!areAllIn(DIGIT, code) || line[11] !== ' ') return undefined
  const status = Number(code)
  if (status < 100 || status > 699) return undefined
  return { startLine: { kind: 'response', status, reason: line.slice(12) }, flaw: undefined }
}

/**
 * Reads a request line (RFC 3261 §7.1): exactly one space between the three parts and none after
 * them.
 */
function readRequestLine(line: string): Pick<Draft, 'startLine' | 'flaw'> | undefined {
  const trimmed = trimSpace(line)
  const methodEnd = trimmed.indexOf(' ')
  const versionStart = trimmed.lastIndexOf(' ') + 1
  const version = trimmed.slice(versionStart).toUpperCase()
  const method = trimmed.slice(0, methodEnd)
  if (methodEnd < 1 || !areAllIn(TOKEN, method) || !isVersion(version)) return undefined
  const uri = trimmed.slice(methodEnd + 1, Math.max(versionStart - 1, methodEnd + 1))
  const startLine: StartLine = { kind: 'request', method, uri }
  // RFC 3261 §21.5.6; the version decides before the rest, whose rules a later one may change.
  if (version !== 'SIP/2.0')
    return { startLine, flaw: { status: 505, reason: 'Version Not Supported' } }
  const isClean = trimmed === line && uri !== '' && !uri.includes(' ') && !uri.includes('\t')
  const flaw = isClean ? undefined : { status: 400, reason: 'Malformed Request-Line' }
  return { startLine, flaw }
}

function isVersion(version: string): boolean {
  const dot = version.indexOf('.')
  return (
    version.startsWith('SIP/') &&
    dot > 4 &&
    dot < version.length - 1 &&
    areAllIn(DIGIT, version, 4, dot) &&
    areAllIn(DIGIT, version, dot + 1)
  )
}

/**
 * True for a CR or LF alone, or another control character that no backslash quotes (RFC 3261
 * §25.1).
 */
function hasStrayControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x20 && code !== 0x7f) continue
    if (code === 0x0d && text.charCodeAt(i + 1) === 0x0a) {
      i++
      continue
    }
    const isQuoted = code !== 0x0d && code !== 0x0a && text.charCodeAt(i - 1) === 0x5c
    if (code !== 0x09 && !isQuoted) return true
  }
  return false
}

/** Trims SP and TAB only: `trim()` would also take letters that UTF-8 text may end with. */
function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
