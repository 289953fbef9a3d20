import { DEFAULT_MESSAGE_LIMITS } from '../../../src/lab/sip/message/limits.js'
import { readMessage, skipEmptyLines } from '../../../src/lab/sip/message/read-message.js'
import type { SipMessage } from '../../../src/lab/sip/message/types.js'
import { StreamReader } from '../../../src/lab/sip/transport/stream-reader.js'
import { cut } from './sip-fuzz.js'

/** A summary of a parsed message for cheap comparison. */
function summarise(message: SipMessage, length: number, status: number | undefined): string {
  const headers = message.headers.map(({ name, value }) => `${name}:${value}`).join('\n')
  return [message.kind, length, status ?? 'ok', headers, message.body.toString('hex')].join('|')
}

/** Messages that the framer finds in bytes that arrive in pieces. */
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

/** Messages that the parser finds in the same bytes at once. */
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
