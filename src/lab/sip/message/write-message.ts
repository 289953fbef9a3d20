import { isSameHeader } from './header-names.js'
import type { SipMessage } from './types.js'

/**
 * Writes the bytes of a message, with the Content-Length of its body. A line break inside a value
 * becomes a space, so that nothing can add a header or a message of its own.
 */
export function writeMessage(message: SipMessage): Buffer {
  const head = writeHead(message)
  if (message.body.length === 0) return Buffer.from(head)
  const headBytes = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafe(headBytes + message.body.length)
  bytes.write(head, 0)
  message.body.copy(bytes, headBytes)
  return bytes
}

/** Returns the number of bytes that `writeMessage` writes. */
export function messageLength(message: SipMessage): number {
  return Buffer.byteLength(writeHead(message)) + message.body.length
}

/** Writes the message as a text; a body that is not UTF-8 is not the same any more. */
export function messageText(message: SipMessage): string {
  const head = writeHead(message)
  return message.body.length === 0 ? head : head + message.body.toString('utf8')
}

function writeHead(message: SipMessage): string {
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
  return `${head}\r\n`
}

function inLine(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text
  return text.replaceAll('\r', ' ').replaceAll('\n', ' ')
}
