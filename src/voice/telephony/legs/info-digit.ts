import type { Digit } from '../port.js'

const DEFAULT_DURATION_MS = 250
const LONGEST_DURATION_MS = 10_000

/** Reads a digit sent by INFO: `application/dtmf-relay` (`Signal=5`, `Duration=160`) or the bare digit. */
export function digitOfInfo(contentType: string, body: string): Digit | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/dtmf-relay') {
    const signal = /^\s*signal\s*=\s*(\S+)/im.exec(body)?.[1]
    const durationMs = Number(/^\s*duration\s*=\s*(\d{1,5})/im.exec(body)?.[1])
    return digitOf(signal, durationMs)
  }
  return type === 'application/dtmf' ? digitOf(body.trim(), Number.NaN) : undefined
}

function digitOf(signal: string | undefined, durationMs: number): Digit | undefined {
  // RFC 2833 numbers 10 and 11, which some phones send, are star and hash.
  const digit = signal === '10' ? '*' : signal === '11' ? '#' : signal?.toUpperCase()
  if (digit === undefined || !/^[0-9A-D*#]$/.test(digit)) return undefined
  const duration = Number.isNaN(durationMs) ? DEFAULT_DURATION_MS : durationMs
  return { digit, durationMs: Math.min(duration, LONGEST_DURATION_MS) }
}
