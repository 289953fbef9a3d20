/** Reads `Range: bytes=…` with one range (RFC 9110 §14). Pure. */

export type ByteRange =
  | { readonly type: 'all' }
  | { readonly type: 'part'; readonly start: number; readonly end: number }
  | { readonly type: 'unsatisfiable' }

/**
 * Reads a Range header. One that is malformed or has several ranges is ignored (RFC 9110 §14.2).
 */
export function readByteRange(header: string | undefined, bytes: number): ByteRange {
  const matched = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  const [first = '', last = ''] = matched?.slice(1) ?? []
  if (first !== '') return fromStart(Number(first), last === '' ? bytes - 1 : Number(last), bytes)
  return last === '' ? { type: 'all' } : lastBytes(Number(last), bytes)
}

function fromStart(start: number, end: number, bytes: number): ByteRange {
  if (start >= bytes) return { type: 'unsatisfiable' }
  return end < start ? { type: 'all' } : { type: 'part', start, end: Math.min(bytes - 1, end) }
}

function lastBytes(wanted: number, bytes: number): ByteRange {
  const length = Math.min(bytes, wanted)
  if (length === 0) return { type: 'unsatisfiable' }
  return { type: 'part', start: bytes - length, end: bytes - 1 }
}
