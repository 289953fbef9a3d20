import { isToken, parseDecimal } from '../../../platform/sip-grammar/characters.js'

export interface CSeq {
  readonly number: number
  readonly method: string
}

/** The largest sequence number: it is less than 2**31 (RFC 3261 §8.1.1.5). */
const MAX_CSEQ = 2 ** 31 - 1

export function parseCSeq(value: string): CSeq | undefined {
  let end = 0
  while (end < value.length && value[end] !== ' ' && value[end] !== '\t') end++
  const number = parseDecimal(value.slice(0, end), MAX_CSEQ)
  const method = value.slice(end).trim()
  return number === undefined || !isToken(method) ? undefined : { number, method }
}

export function formatCSeq(cseq: CSeq): string {
  return `${cseq.number} ${cseq.method}`
}
