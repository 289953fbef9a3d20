const UNSAFE: ReadonlySet<string> = new Set('\r\n #%&+:;<=>?@[\\]^`{|}"')
const ENCODED = /^%[0-9A-F]{2}/
const PLAIN = /^[!$'-*,-/0-9A-Z_a-z~]*$/

/**
 * Percent-encodes a header value as the event socket does: a string that already holds `%41` keeps it,
 * so that encoding twice changes nothing.
 */
export function urlEncode(value: string): string {
  if (PLAIN.test(value)) return value
  let encoded = ''
  for (const [at, byte] of Buffer.from(value, 'utf8').entries()) {
    const character = String.fromCharCode(byte)
    const isPlain = byte >= 0x20 && byte <= 0x7e && !UNSAFE.has(character)
    const isEncoded = character === '%' && ENCODED.test(latin1From(value, at))
    encoded +=
      isPlain || isEncoded ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

function latin1From(value: string, at: number): string {
  return Buffer.from(value, 'utf8').toString('latin1', at, at + 3)
}
