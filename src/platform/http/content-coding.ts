/**
 * Undoes the content coding of a response (RFC 9110 §8.4). None is asked for; web frameworks and proxies
 * that compress whatever they send are read all the same.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import { OutboundError } from './outbound-error.js'

type Decode = (body: Buffer, options: ZlibOptions) => Promise<Buffer>

const decodeGzip: Decode = promisify(gunzip)
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', decodeGzip],
  // RFC 9110 §8.4.1.3
  ['x-gzip', decodeGzip],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Returns what turns the body of a response into its content of at most `maxBytes`; undefined for a body
 * that is its content already. Throws OutboundError for a coding that is not known, or for several.
 */
export function contentDecoder(
  headers: Headers,
  url: string,
  maxBytes: number,
): ((body: Buffer) => Promise<Buffer>) | undefined {
  const coding = (headers.get('content-encoding') ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return undefined
  const decode = DECODERS.get(coding)
  if (decode === undefined) throw new OutboundError('content-coding', url)
  return async (body) => {
    // Answers without a body, as to HEAD, may name a coding.
    if (body.length === 0) return body
    try {
      return await decode(body, { maxOutputLength: Math.max(1, maxBytes) })
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' // Node's own
      throw new OutboundError(isTooLarge ? 'too-large' : 'content-coding', url, error)
    }
  }
}
