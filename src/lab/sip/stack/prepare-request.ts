import { randomUUID } from 'node:crypto'
import { formatHost } from '../../../platform/sip-grammar/uri.js'
import { isSameHeader } from '../message/header-names.js'
import { getHeader } from '../message/headers.js'
import type { SipHeader, SipRequest } from '../message/types.js'
import { BRANCH_COOKIE } from '../message/via.js'
import type { SipPeer } from '../model/stack-types.js'

export function newBranch(): string {
  return `${BRANCH_COOKIE}${randomUUID()}`
}

/**
 * Returns the request with our Via on top (RFC 3261 §8.1.1.7, RFC 3581 §3), Max-Forwards and
 * Content-Length.
 */
export function prepareRequest(request: SipRequest, branch: string, us: SipPeer): SipRequest {
  const sentBy = formatHost(us.address, us.port)
  const via = `SIP/2.0/${us.transport.toUpperCase()} ${sentBy};rport;branch=${branch}`
  const headers: SipHeader[] = [{ name: 'Via', value: via }]
  if (getHeader(request, 'Max-Forwards') === undefined)
    headers.push({ name: 'Max-Forwards', value: '70' })
  for (const header of request.headers)
    if (!isSameHeader(header.name, 'Content-Length')) headers.push(header)
  headers.push({ name: 'Content-Length', value: String(request.body.length) })
  return { ...request, headers }
}
