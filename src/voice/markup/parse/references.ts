/** The five entities of XML 1.0 §4.6. A document can define no others: it has no DTD. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** The longest reference: `#x10ffff;`. */
const MAX_REFERENCE = 10

/**
 * Replaces `&amp;`, `&#233;`, `&#xe9;` by their characters. Undefined when any `&` begins something
 * else.
 */
export function decodeReferences(text: string): string | undefined {
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

/** The beginnings of what may have a bare `&` in it, with their ends. */
const LITERAL: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
]

/** Finds the first `&` of a document that begins no reference; undefined when there is none. */
export function bareAmpersand(body: string): number | undefined {
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
