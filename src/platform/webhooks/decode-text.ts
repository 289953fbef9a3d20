/** The character encoding of a response's document. Pure. */
import { TextDecoder } from 'node:util'

const UTF_8 = new TextDecoder('utf-8')

/**
 * Decodes a body by its byte order mark, else by the charset of its content type (RFC 7303 §3), else by its
 * XML declaration or its first bytes (XML 1.0 §4.3.3, appendix F), else as UTF-8. An unknown encoding counts
 * as UTF-8; invalid bytes become U+FFFD.
 */
export function decodeText(body: Buffer, contentType: string): string {
  const label = markOf(body) ?? charsetOf(contentType) ?? declaredIn(body)
  return (label === undefined ? UTF_8 : decoderOf(label)).decode(body)
}

/** The encoding of a UTF-16 byte order mark; the decoder itself removes that of UTF-8. */
function markOf(body: Buffer): string | undefined {
  const mark = body.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return 'utf-16le'
  if (mark === 'feff') return 'utf-16be'
  return body.subarray(0, 3).toString('hex') === 'efbbbf' ? 'utf-8' : undefined
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]
}

function declaredIn(body: Buffer): string | undefined {
  const first = body.subarray(0, 4).toString('hex')
  if (/^3c00..00$/.test(first)) return 'utf-16le'
  if (first.startsWith('003c00')) return 'utf-16be'
  const start = body.subarray(0, 200).toString('latin1')
  const declared = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1]
  // A declaration that is readable byte by byte cannot be UTF-16, whatever it declares.
  return declared !== undefined && /^utf-?16/i.test(declared) ? undefined : declared
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError) return UTF_8 // the label is unknown
    throw error
  }
}
