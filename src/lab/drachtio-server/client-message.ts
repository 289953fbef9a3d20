/** Parses messages of a control client: `id|command|token|…`, optionally followed by a SIP message. */
import type { SipHeader } from '../sip/message/types.js'

export interface ClientMessage {
  /** The message's id, chosen by the client and repeated in our response. */
  readonly id: string
  readonly command: string
  readonly tokens: readonly string[]
  readonly sip: ClientSip | undefined
}

/** A SIP message as the application writes it, with only some of the headers; the server adds the rest. */
export interface ClientSip {
  readonly startLine: string
  readonly headers: readonly SipHeader[]
  readonly body: string
}

/** The `token` of RFC 3261 §25.1. */
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/

export function parseClientMessage(payload: string): ClientMessage {
  const lineEnd = payload.indexOf('\r\n')
  const leader = lineEnd < 0 ? payload : payload.slice(0, lineEnd)
  const [id = '', command = '', ...tokens] = leader.split('|')
  const sip = lineEnd < 0 ? undefined : parseClientSip(payload.slice(lineEnd + 2))
  return { id, command, tokens, sip }
}

function parseClientSip(text: string): ClientSip {
  const headEnd = text.indexOf('\r\n\r\n')
  const head = headEnd < 0 ? text : text.slice(0, headEnd)
  const [startLine = '', ...lines] = head.split('\r\n')
  const headers: SipHeader[] = []
  for (const line of lines) {
    const header = parseHeader(line)
    if (header !== undefined) headers.push(header)
  }
  return { startLine, headers, body: headEnd < 0 ? '' : text.slice(headEnd + 4) }
}

/**
 * Parses one header line. Returns undefined for an invalid line, which is then ignored, as the real server
 * does; no part of it may reach the wire.
 */
function parseHeader(line: string): SipHeader | undefined {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trim()
  const value = line.slice(colon + 1).trim()
  if (!TOKEN.test(name) || /[\r\n\0]/.test(value)) return undefined
  return { name, value }
}
