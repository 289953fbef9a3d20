/** Extracts the text of a MESSAGE (RFC 3428) from the body formats that softphones use. */

export type ReadText =
  | { readonly type: 'text'; readonly text: string }
  /** No text for a person: a typing indicator or a delivery notification. */
  | { readonly type: 'ignored' }
  | { readonly type: 'unsupported' }
  | { readonly type: 'malformed' }

/** The supported content types, for the Accept header. */
export const TEXT_TYPES =
  'text/plain, message/cpim, multipart/mixed, multipart/alternative, application/im-iscomposing+xml, message/imdn+xml'

/** RFC 3994: typing indicator. RFC 5438: delivery or display notification. */
const IGNORED = ['application/im-iscomposing+xml', 'message/imdn+xml']
const CHARSETS = ['utf-8', 'us-ascii']
const ENCODINGS = ['', '7bit', '8bit', 'binary']
/** Maximum nesting: softphones send at most a part within a part of a CPIM body. */
const MAX_DEPTH = 3
const MAX_PARTS = 10
const BLANK_LINE = /\r?\n\r?\n/

export interface TextBody {
  /** The values of Content-Type, Content-Encoding and, for a part, Content-Transfer-Encoding. */
  readonly type: string | undefined
  readonly encoding: string | undefined
  readonly body: string
}

export function readText(message: TextBody, depth = 0): ReadText {
  const { body, encoding = '', type = '' } = message
  const name = type.replace(/;.*$/s, '').trim().toLowerCase()
  if (IGNORED.includes(name)) return { type: 'ignored' }
  if (!ENCODINGS.includes(encoding.trim().toLowerCase()) || depth > MAX_DEPTH)
    return { type: 'unsupported' }
  if (name === 'text/plain') return readPlain(body, type)
  if (name === 'message/cpim') return readCpim(body, depth)
  if (name.startsWith('multipart/')) return readParts(body, type, depth)
  return { type: 'unsupported' }
}

function readPlain(text: string, type: string): ReadText {
  const charset = parameterOf(type, 'charset') ?? 'utf-8'
  if (!CHARSETS.includes(charset.toLowerCase())) return { type: 'unsupported' }
  if (text.trim() === '' || text.includes('\0')) return { type: 'malformed' }
  return { type: 'text', text }
}

/** RFC 3862 §2: message headers, then content headers, each block ended by an empty line. */
function readCpim(body: string, depth: number): ReadText {
  const inner = divided(body)
  return inner === undefined ? { type: 'malformed' } : readPart(inner.rest, depth)
}

/** RFC 2046 §5.1: joins the texts of a mixed body; takes the first readable alternative. */
function readParts(body: string, type: string, depth: number): ReadText {
  const boundary = parameterOf(type, 'boundary')
  if (boundary === undefined || boundary === '') return { type: 'malformed' }
  const [, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`)
  const whole = parts.slice(0, MAX_PARTS).filter((part) => !part.startsWith('--'))
  const read = whole.map((part) => readPart(part.replace(/^[ \t]*\r?\n/, ''), depth))
  const texts = read.flatMap((each) => (each.type === 'text' ? [each.text] : []))
  const [first] = texts
  if (first === undefined)
    return read.find((each) => each.type === 'ignored') ?? { type: 'unsupported' }
  const isAlternative = /^multipart\/alternative/i.test(type.trim())
  return { type: 'text', text: isAlternative ? first : texts.join('\n') }
}

function readPart(part: string, depth: number): ReadText {
  // A part that starts with an empty line has no headers: it is plain text (RFC 2046 §5.1).
  const { head, rest } = /^\r?\n/.test(part)
    ? { head: '', rest: part.replace(/^\r?\n/, '') }
    : (divided(part) ?? { head: part, rest: '' })
  const headerOf = (name: string) =>
    new RegExp(`^${name}[ \\t]*:(.*)$`, 'im').exec(head)?.[1]?.trim()
  const type = headerOf('Content-Type') ?? 'text/plain'
  return readText({ type, encoding: headerOf('Content-Transfer-Encoding'), body: rest }, depth + 1)
}

function divided(text: string): { readonly head: string; readonly rest: string } | undefined {
  const blank = BLANK_LINE.exec(text)
  if (blank === null) return undefined
  return { head: text.slice(0, blank.index), rest: text.slice(blank.index + blank[0].length) }
}

function parameterOf(type: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(type)
  return found?.[1] ?? found?.[2]
}
