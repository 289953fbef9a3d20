import { DEFAULT_MESSAGE_LIMITS } from '../../../src/lab/sip/message/limits.js'
import { readMessage, skipEmptyLines } from '../../../src/lab/sip/message/read-message.js'
import type { SipMessage } from '../../../src/lab/sip/message/types.js'
import { StreamReader } from '../../../src/lab/sip/transport/stream-reader.js'
import { cut } from './sip-fuzz.js'

/** What a reading amounts to, cheap to compare. */
function summarise(message: SipMessage, length: number, status: number | undefined): string {
  const headers = message.headers.map(({ name, value }) => `${name}:${value}`).join('\n')
  return [message.kind, length, status ?? 'ok', headers, message.body.toString('hex')].join('|')
}

/** The messages in bytes that arrive in pieces, as the framer sees them. */
export function readStream(bytes: Buffer, random: () => number): string[] {
  const reader = new StreamReader(DEFAULT_MESSAGE_LIMITS)
  const seen: string[] = []
  for (const piece of cut(bytes, random)) {
    reader.push(piece)
    for (;;) {
      const reading = reader.next()
      if (reading.type === 'incomplete') break
      if (reading.type === 'ping') continue
      if (reading.type === 'unreadable') return [...seen, 'unreadable']
      seen.push(summarise(reading.message, reading.length, reading.flaw?.status))
      if (!reading.isFramed) return seen
    }
  }
  return seen
}

/** The same bytes at once, as the parser sees them. */
export function readWhole(bytes: Buffer): string[] {
  const seen: string[] = []
  let at = skipEmptyLines(bytes, 0, bytes.length)
  while (at < bytes.length) {
    const reading = readMessage(bytes.subarray(at), 'stream')
    if (reading.type === 'incomplete') return seen
    if (reading.type === 'unreadable') return [...seen, 'unreadable']
    seen.push(summarise(reading.message, reading.length, reading.flaw?.status))
    if (!reading.isFramed) return seen
    at = skipEmptyLines(bytes, at + reading.length, bytes.length)
  }
  return seen
}
