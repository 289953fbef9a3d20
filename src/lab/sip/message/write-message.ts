import { isSameHeader } from './header-names.js'
import type { SipMessage } from './types.js'

/**
 * Writes the bytes of a message, with the Content-Length of its body. A line break inside a value
 * becomes a space, so that nothing can add a header or a message of its own.
 */
export function writeMessage(message: SipMessage): Buffer {
  let head =
    message.kind === 'request'
      ? `${inLine(message.method)} ${inLine(message.uri)} SIP/2.0\r\n`
      : `SIP/2.0 ${message.status} ${inLine(message.reason)}\r\n`
  let isSized = false
  for (const { name, value } of message.headers) {
    if (!isSameHeader(name, 'Content-Length')) head += `${inLine(name)}: ${inLine(value)}\r\n`
    else if (!isSized) {
      head += `Content-Length: ${message.body.length}\r\n`
      isSized = true
    }
  }
  if (!isSized) head += `Content-Length: ${message.body.length}\r\n`
  head += '\r\n'
  if (message.body.length === 0) return Buffer.from(head)
  const headBytes = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafe(headBytes + message.body.length)
  bytes.write(head, 0)
  message.body.copy(bytes, headBytes)
  return bytes
}

function inLine(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text
  return text.replaceAll('\r', ' ').replaceAll('\n', ' ')
}
