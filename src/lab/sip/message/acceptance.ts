/** Refuses well-formed requests that need something we do not support (RFC 3261 §8.2.2.3, §8.2.3, §20.1). */
import { getHeader, getListValues } from './headers.js'
import { isKnownOptionTag } from './registry.js'
import type { SipHeader, SipRequest } from './types.js'

export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly headers: readonly SipHeader[]
}

const SDP = 'application/sdp'

/** Returns the refusal of a request; undefined when the request is acceptable. */
export function findUnacceptable(request: SipRequest): Refusal | undefined {
  // RFC 3261 §8.2.2.3: CANCEL and ACK are never refused for an extension.
  if (request.method === 'CANCEL' || request.method === 'ACK') return undefined
  const unknown = getListValues(request, 'Require').filter((tag) => !isKnownOptionTag(tag))
  if (unknown.length > 0) return refusal(420, 'Bad Extension', 'Unsupported', unknown.join(', '))
  return checkBody(request) ?? checkAccept(request)
}

function refusal(status: number, reason: string, name: string, value: string): Refusal {
  return { status, reason, headers: [{ name, value }] }
}

function checkBody(request: SipRequest): Refusal | undefined {
  if (request.body.length === 0 || isOptional(request)) return undefined
  const encodings = getListValues(request, 'Content-Encoding')
  if (encodings.some((encoding) => encoding.toLowerCase() !== 'identity'))
    return refusal(415, 'Unsupported Media Type', 'Accept-Encoding', 'identity')
  // The content types of other methods depend on their packages; the user of the stack checks them.
  if (request.method !== 'INVITE') return undefined
  const contentType = getHeader(request, 'Content-Type')
  const type = contentType === undefined ? SDP : mediaRange(contentType)
  if (type === SDP || type.startsWith('multipart/')) return undefined
  return refusal(415, 'Unsupported Media Type', 'Accept', SDP)
}

function isOptional(request: SipRequest): boolean {
  const disposition = getHeader(request, 'Content-Disposition')
  return disposition !== undefined && /;[ \t]*handling[ \t]*=[ \t]*optional/i.test(disposition)
}

/** Refuses an INVITE that does not accept SDP: it cannot be answered (RFC 4475 §3.3.15). */
function checkAccept(request: SipRequest): Refusal | undefined {
  if (request.method !== 'INVITE' || getHeader(request, 'Accept') === undefined) return undefined
  const ranges = getListValues(request, 'Accept').map(mediaRange)
  if (ranges.some((range) => range === SDP || range === 'application/*' || range === '*/*'))
    return undefined
  return refusal(
    406,
    'Not Acceptable',
    'Warning',
    '399 trunkline "Only application/sdp can be sent"',
  )
}

function mediaRange(value: string): string {
  const semicolon = value.indexOf(';')
  const range = semicolon === -1 ? value : value.slice(0, semicolon)
  return range.replaceAll(/[ \t]/g, '').toLowerCase()
}
