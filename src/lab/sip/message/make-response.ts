import { getHeader } from './headers.js'
import { reasonPhrase } from './reason-phrases.js'
import type { SipHeader, SipRequest, SipResponse } from './types.js'

const NO_BODY = Buffer.alloc(0)

export interface ResponseParts {
  readonly reason?: string | undefined
  readonly headers?: readonly SipHeader[]
  readonly body?: Buffer
}

/** Makes a response without the headers that the stack adds: Via, From, To, Call-ID, CSeq, Content-Length. */
export function makeResponse(status: number, parts: ResponseParts = {}): SipResponse {
  return {
    kind: 'response',
    status,
    reason: parts.reason ?? reasonPhrase(status),
    headers: parts.headers ?? [],
    body: parts.body ?? NO_BODY,
  }
}

const COPIED = ['From', 'To', 'Call-ID', 'CSeq'] as const
const SET_BY_STACK = new Set(['via', 'content-length'])

/**
 * Completes a response with what RFC 3261 §8.2.6.2 takes from the request: every Via in order, and
 * From, To, Call-ID and CSeq where the response has none. The To gets the tag, unless the status is
 * 100 or the request had one.
 */
export function completeResponse(
  response: SipResponse,
  request: SipRequest,
  toTag: string,
): SipResponse {
  const headers: SipHeader[] = request.headers.filter((h) => h.name === 'Via')
  for (const name of COPIED) {
    const own = getHeader(response, name)
    const value = own ?? getHeader(request, name)
    if (value === undefined) continue
    const isTagged = name !== 'To' || response.status === 100 || hasTag(value)
    headers.push({ name, value: isTagged ? value : `${value};tag=${toTag}` })
  }
  for (const header of response.headers) {
    const name = header.name.toLowerCase()
    if (!SET_BY_STACK.has(name) && !COPIED.some((copied) => copied.toLowerCase() === name))
      headers.push(header)
  }
  headers.push({ name: 'Content-Length', value: String(response.body.length) })
  return { ...response, headers }
}

/**
 * True when an address has a tag. It is cheaper than parsing the address, and works on malformed
 * ones too.
 */
function hasTag(value: string): boolean {
  const params = value.slice(value.lastIndexOf('>') + 1)
  return /;[ \t]*tag[ \t]*=/i.test(params)
}
