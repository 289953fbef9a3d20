/**
 * The character classes of the SIP grammar (RFC 3261 §25.1) as one table look-up; regular expressions
 * would cost more than the rest of the parser.
 */
export const TOKEN = 1
export const USER = 2
export const PASSWORD = 4
/** The class of parameters and headers of a URI. */
export const URI_PARAM = 8
export const HOST = 16
/**
 * The class of an unquoted header parameter's value: more than `token / host`, since peers send
 * base64 in tags.
 */
export const VALUE = 32
export const DIGIT = 64
export const HEX = 128

const ALPHANUMERIC = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const UNRESERVED = `${ALPHANUMERIC}-_.!~*'()`

const CLASSES = new Uint8Array(128)
function allow(characterClass: number, characters: string): void {
  for (let i = 0; i < characters.length; i++) {
    const code = characters.charCodeAt(i)
    CLASSES[code] = (CLASSES[code] ?? 0) | characterClass
  }
}
allow(TOKEN, `${ALPHANUMERIC}-.!%*_+\`'~`)
// '#' must be escaped by the grammar, but telephones send dialled feature codes as they are.
allow(USER, `${UNRESERVED}&=+$,;?/#`)
allow(PASSWORD, `${UNRESERVED}&=+$,`)
allow(URI_PARAM, `${UNRESERVED}[]/:&+$`)
// '_' is no host character by RFC 1034, but container networks use it in names.
allow(HOST, `${ALPHANUMERIC}-._`)
allow(VALUE, `${ALPHANUMERIC}-.!%*_+\`'~[]:/=@#&$()?{}|^`)
allow(DIGIT, '0123456789')
allow(HEX, '0123456789abcdefABCDEF')

export function isIn(characterClass: number, code: number): boolean {
  return ((CLASSES[code] ?? 0) & characterClass) !== 0
}

/** True when every character between the two positions is in the class, and for an empty range. */
export function areAllIn(
  characterClass: number,
  text: string,
  start = 0,
  end = text.length,
): boolean {
  for (let i = start; i < end; i++) if (!isIn(characterClass, text.charCodeAt(i))) return false
  return true
}

/** The same as `areAllIn`, with `%` and two hex digits allowed too (RFC 3261 §25.1, `escaped`). */
export function areAllInOrEscaped(characterClass: number, text: string, extra = -1): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x25) {
      if (!isIn(HEX, text.charCodeAt(i + 1)) || !isIn(HEX, text.charCodeAt(i + 2))) return false
      i += 2
    } else if (code !== extra && !isIn(characterClass, code)) return false
  }
  return true
}

export function isToken(text: string): boolean {
  return text.length > 0 && areAllIn(TOKEN, text)
}

/**
 * Parses a decimal number of at most `limit`; undefined for anything else, however many digits it
 * has.
 */
export function parseDecimal(text: string, limit: number): number | undefined {
  if (text.length === 0 || !areAllIn(DIGIT, text)) return undefined
  const value = Number(text)
  return value <= limit ? value : undefined
}

/** Undoes `%HH`. Escapes are UTF-8, and bytes that are not become U+FFFD. Never throws. */
export function unescapePercent(text: string): string {
  if (!text.includes('%')) return text
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text))
  let length = 0
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) === 0x25 && areAllIn(HEX, text, i + 1, i + 3) && i + 2 < text.length) {
      bytes[length++] = Number.parseInt(text.slice(i + 1, i + 3), 16)
      i += 2
    } else {
      const point = text.codePointAt(i) ?? 0
      length += bytes.write(String.fromCodePoint(point), length)
      if (point > 0xffff) i++
    }
  }
  return bytes.toString('utf8', 0, length)
}

/** Escapes as `%HH` every character outside the class, as UTF-8. */
export function escapePercent(text: string, characterClass: number): string {
  if (areAllIn(characterClass, text)) return text
  let escaped = ''
  for (const character of text) {
    if (character.length === 1 && isIn(characterClass, character.charCodeAt(0)))
      escaped += character
    else
      for (const byte of Buffer.from(character))
        escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}
