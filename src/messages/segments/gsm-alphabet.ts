/** The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1). Pure. */

/** The characters by their codes; the code 0x1B is the escape to the extension table. */
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
/** The characters behind the escape; each takes two septets. */
const EXTENSION = '\f^{}\\[~]|€'

const SEPTETS: ReadonlyMap<string, 1 | 2> = new Map([
  ...Array.from(BASIC)
    .filter((char) => char !== ESCAPE)
    .map((char): [string, 1] => [char, 1]),
  ...Array.from(EXTENSION).map((char): [string, 2] => [char, 2]),
])

/** The septets that a character takes; undefined for one that the alphabet does not have. */
export function septetsOf(char: string): 1 | 2 | undefined {
  return SEPTETS.get(char)
}
