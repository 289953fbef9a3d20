/** The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1). Pure. */

/** Characters by code; 0x1B is the escape to the extension table. */
const BASIC = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('')
const ESCAPE = '\u001b'
/** Characters after the escape; each takes two septets. */
const EXTENSION = '\f^{}\\[~]|€'

const SEPTETS: ReadonlyMap<string, 1 | 2> = new Map([
  ...Array.from(BASIC)
    .filter((char) => char !== ESCAPE)
    .map((char): [string, 1] => [char, 1]),
  ...Array.from(EXTENSION).map((char): [string, 2] => [char, 2]),
])

/** Codes of the characters of `EXTENSION`, in its order (§6.2.1.1). */
const EXTENSION_CODES = [0x0a, 0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65]
const ESCAPE_CODE = 0x1b

const CODES: ReadonlyMap<string, readonly number[]> = new Map([
  ...Array.from(BASIC).map((char, code): [string, readonly number[]] => [char, [code]]),
  ...Array.from(EXTENSION).map((char, index): [string, readonly number[]] => [
    char,
    [ESCAPE_CODE, EXTENSION_CODES[index] ?? 0],
  ]),
])

/** Encodes the text with one septet per octet; characters outside the alphabet become `?`. */
export function gsmOctets(text: string): Buffer {
  const question = CODES.get('?') ?? []
  return Buffer.from(Array.from(text).flatMap((char) => CODES.get(char) ?? question))
}

/**
 * Decodes octets with one septet each; an unknown code after the escape stands for itself. A trailing escape is
 * kept, since the next part may continue it.
 */
export function gsmText(octets: Uint8Array): string {
  let text = ''
  for (const octet of octets) {
    const char = BASIC[octet & 0x7f] ?? ''
    text = text.endsWith(ESCAPE) ? text.slice(0, -1) + extended(char) : text + char
  }
  return text
}

/** Joins the parts of a message. An escape at the end of a part belongs to the first character of the next. */
export function joinedTexts(parts: readonly string[]): string {
  const text = parts.reduce(
    (before, part) =>
      before.endsWith(ESCAPE) && part !== ''
        ? before.slice(0, -1) + extended(part.slice(0, 1)) + part.slice(1)
        : before + part,
    '',
  )
  return text.endsWith(ESCAPE) ? text.slice(0, -1) : text
}

function extended(char: string): string {
  return EXTENSION[EXTENSION_CODES.indexOf(BASIC.indexOf(char))] ?? char
}

/** Returns the number of septets of a character; undefined outside the alphabet. */
export function septetsOf(char: string): 1 | 2 | undefined {
  return SEPTETS.get(char)
}
