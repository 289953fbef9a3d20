/**
 * Parses untrusted XML text into an element tree. Never reads anything outside the text. The text cannot
 * define entities. Text that would take long is rejected before it is parsed.
 */

import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { DomainError } from '../../../platform/errors.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'

export interface XmlElement {
  readonly type: 'element'
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlNode[]
}
export interface XmlText {
  readonly type: 'text'
  readonly text: string
}
export type XmlNode = XmlElement | XmlText

export interface XmlFailure {
  readonly type: 'failure'
  readonly code: ErrorNumber
  readonly message: string
}

/** Maximum length of a document or response body of the customer's application: 64 kB, as in the fetch. */
export const MAX_DOCUMENT_LENGTH = 65_536
const MAX_TAGS = 5_000
const MAX_DEPTH = 64
const MAX_MESSAGE = 200
/** Number of characters shown on each side of an ampersand in a failure message. */
const SHOWN_AROUND = 40

/** Characters that no document may contain (XML 1.0 §2.2). */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
/** A node that may precede the root element, any number of times. */
const MISC = /^(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)/

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  cdataPropName: '#cdata',
  ignorePiTags: true,
  ignoreDeclaration: true,
  maxNestedTags: MAX_DEPTH,
})

/** The five entities of XML 1.0 §4.6. A document cannot define others, because a DTD is not allowed. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Length of the longest reference, `#x10ffff;`. */
const MAX_REFERENCE = 10

/** The delimiters of sections in which a bare `&` is allowed. */
const LITERAL: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
]

class MalformedXmlError extends DomainError {
  override readonly name = 'MalformedXmlError'
  readonly code = 'malformed-xml'
}

/**
 * Parses a document. Never throws and never takes long. 12100: not well-formed. 12101: unknown XML version.
 * 11750: too big.
 */
export function readXml(text: string): XmlElement | XmlFailure {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const refusal = refuse(body)
  if (refusal !== undefined) return refusal
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor is another package; the version is pinned
    const verdict = XMLValidator.validate(body)
    if (verdict !== true) return malformed(body, `${verdict.err.msg} (line ${verdict.err.line})`)
    if (body.slice(body.lastIndexOf('>') + 1).trim() !== '')
      return failure(12100, 'text after the root element')
    return toRoot(parser.parse(body))
  } catch (error) {
    return malformed(body, error instanceof Error ? error.message : 'not well-formed')
  }
}

function refuse(body: string): XmlFailure | undefined {
  if (body.length > MAX_DOCUMENT_LENGTH) return failure(11750, 'document is larger than 64 kB')
  if (body.trim() === '') return failure(12100, 'document is empty')
  if (FORBIDDEN.test(body)) return failure(12100, 'document contains a forbidden control character')
  if (countTags(body) > MAX_TAGS) return failure(12100, `more than ${MAX_TAGS} tags`)
  const version = /^<\?xml\s+version\s*=\s*["']([^"']*)["']/.exec(body)?.[1]
  if (version !== undefined && !/^1\.[0-9]$/.test(version))
    return failure(12101, `XML version ${version} is not supported`)
  if (/^<!DOCTYPE/i.test(afterMisc(body)))
    return failure(12100, 'document type declarations are not allowed')
  return undefined
}

function countTags(body: string): number {
  let count = 0
  for (let at = body.indexOf('<'); at !== -1; at = body.indexOf('<', at + 1)) count += 1
  return count
}

function afterMisc(body: string): string {
  let rest = body
  for (let skip = MISC.exec(rest); skip !== null; skip = MISC.exec(rest))
    rest = rest.slice(skip[0].length)
  return rest
}

function toRoot(parsed: unknown): XmlElement | XmlFailure {
  const nodes = toNodes(parsed).filter((n) => n.type === 'element' || n.text.trim() !== '')
  const [root] = nodes
  if (nodes.length !== 1 || root?.type !== 'element')
    return failure(12100, 'document must have exactly one root element')
  return root
}

/**
 * Converts the parser's output into nodes, in document order: `{ name: children, ':@': attributes }` or `{
 * '#text': … }`.
 */
function toNodes(parsed: unknown): XmlNode[] {
  if (!Array.isArray(parsed)) return []
  const nodes: XmlNode[] = []
  for (const entry of parsed as readonly unknown[]) {
    const node = toNode(entry)
    const last = nodes.at(-1)
    // Comments and CDATA borders split text; it is joined again here.
    if (node.type === 'text' && last?.type === 'text')
      nodes[nodes.length - 1] = { type: 'text', text: last.text + node.text }
    else nodes.push(node)
  }
  return nodes
}

function toNode(entry: unknown): XmlNode {
  if (!isRecord(entry)) throw new MalformedXmlError('unexpected content')
  const name = Object.keys(entry).find((key) => key !== ':@')
  if (name === undefined) throw new MalformedXmlError('unexpected content')
  if (name === '#text') return { type: 'text', text: decode(String(entry['#text'])) }
  if (name === '#cdata') return { type: 'text', text: cdataOf(entry[name]) }
  return {
    type: 'element',
    name,
    attributes: toAttributes(entry[':@']),
    children: toNodes(entry[name]),
  }
}

function cdataOf(content: unknown): string {
  const [first] = Array.isArray(content) ? (content as readonly unknown[]) : []
  return isRecord(first) ? String(first['#text']) : ''
}

function toAttributes(parsed: unknown): ReadonlyMap<string, string> {
  if (!isRecord(parsed)) return new Map()
  // White space in an attribute's value counts as a space (XML 1.0 §3.3.3).
  return new Map(
    Object.entries(parsed).map(([name, value]) => [
      name,
      decode(String(value).replace(/[\t\n\r]/g, ' ')),
    ]),
  )
}

function decode(text: string): string {
  const decoded = decodeReferences(text)
  if (decoded === undefined) throw new MalformedXmlError('unknown entity')
  return decoded
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns the failure of a malformed document. Names a bare ampersand, by far the most common cause. */
function malformed(body: string, reason: string): XmlFailure {
  const at = bareAmpersand(body)
  if (at === undefined) return failure(12100, reason)
  const before = body.slice(0, at).split('\n')
  const [after = ''] = body.slice(at, at + SHOWN_AROUND).split('\n', 1)
  const shown = (before.at(-1) ?? '').slice(-SHOWN_AROUND) + after
  const where = `(line ${String(before.length)})`
  return failure(12100, `& is not written as &amp; in "${shown.trim()}" ${where}`)
}

/** Replaces `&amp;`, `&#233;`, `&#xe9;` by their characters. Undefined when an `&` starts anything else. */
function decodeReferences(text: string): string | undefined {
  if (!text.includes('&')) return text
  const [start = '', ...rest] = text.split('&')
  const parts = [start]
  for (const part of rest) {
    const end = part.slice(0, MAX_REFERENCE).indexOf(';')
    const character = end === -1 ? undefined : characterOf(part.slice(0, end))
    if (character === undefined) return undefined
    parts.push(character, part.slice(end + 1))
  }
  return parts.join('')
}

/** Returns the position of the first `&` that starts no reference; undefined when there is none. */
function bareAmpersand(body: string): number | undefined {
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === '&' && !beginsReference(body, at)) return at
    const literal = LITERAL.find(([start]) => body.startsWith(start, at))
    if (literal === undefined) continue
    at = body.indexOf(literal[1], at)
    if (at === -1) return undefined
  }
  return undefined
}

function beginsReference(body: string, at: number): boolean {
  const reference = body.slice(at + 1, at + 1 + MAX_REFERENCE)
  const end = reference.indexOf(';')
  return end !== -1 && characterOf(reference.slice(0, end)) !== undefined
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return ENTITIES.get(reference)
  const digits = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(reference)
  if (digits === null) return undefined
  const point =
    digits[1] === undefined ? Number.parseInt(digits[2] ?? '', 10) : Number.parseInt(digits[1], 16)
  return isCharacter(point) ? String.fromCodePoint(point) : undefined
}

/** True for a Char of XML 1.0 §2.2. */
function isCharacter(point: number): boolean {
  if (point < 0x20) return point === 0x9 || point === 0xa || point === 0xd
  return point <= 0xd7ff || (point >= 0xe000 && point <= 0xfffd) || isSupplementary(point)
}

function isSupplementary(point: number): boolean {
  return point >= 0x10000 && point <= 0x10ffff
}

function failure(code: ErrorNumber, message: string): XmlFailure {
  return { type: 'failure', code, message: message.slice(0, MAX_MESSAGE) }
}
