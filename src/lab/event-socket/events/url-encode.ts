const UNSAFE: ReadonlySet<string> = new Set('\r\n #%&+:;<=>?@[\\]^`{|}"')
/** The encoded form of each byte. */
const ESCAPED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  const isPlain = byte >= 0x20 && byte <= 0x7e && !UNSAFE.has(character)
  return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})
const ENCODED = /^%[0-9A-F]{2}/
const PLAIN = /^[!$'-*,-/0-9A-Z_a-z~]*$/

/**
 * Percent-encodes a header value as the event socket does. A string that already holds `%41` keeps
 * it, so that encoding twice changes nothing.
 */
export function urlEncode(value: string): string {
  if (PLAIN.test(value)) return value
  const bytes = Buffer.from(value, 'utf8').toString('latin1')
  let encoded = ''
  for (let at = 0; at < bytes.length; at++) {
    const isEncoded = bytes[at] === '%' && ENCODED.test(bytes.slice(at, at + 3))
    encoded += isEncoded ? '%' : (ESCAPED[bytes.charCodeAt(at)] ?? '')
  }
  return encoded
}
