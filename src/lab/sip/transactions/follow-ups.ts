/** Makes the requests that a client transaction sends by itself. */
import { formatCSeq, parseCSeq } from '../message/cseq.js'
import { getHeader, getHeaders } from '../message/headers.js'
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'

const NO_BODY = Buffer.alloc(0)

/**
 * Makes the ACK for a final response other than 2xx: hop by hop, with the same branch (RFC 3261
 * §17.1.1.3).
 */
export function ackFor(invite: SipRequest, response: SipResponse): SipRequest {
  return followUp('ACK', invite, getHeader(response, 'To'), [])
}

/** Makes the CANCEL of an INVITE, with the same branch (RFC 3261 §9.1). */
export function cancelOf(invite: SipRequest, extraHeaders: readonly SipHeader[]): SipRequest {
  return followUp('CANCEL', invite, getHeader(invite, 'To'), extraHeaders)
}

function followUp(
  method: string,
  invite: SipRequest,
  to: string | undefined,
  extraHeaders: readonly SipHeader[],
): SipRequest {
  const number = parseCSeq(getHeader(invite, 'CSeq') ?? '')?.number ?? 0
  const headers: SipHeader[] = [
    { name: 'Via', value: getHeader(invite, 'Via') ?? '' },
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: getHeader(invite, 'From') ?? '' },
    { name: 'To', value: to ?? '' },
    { name: 'Call-ID', value: getHeader(invite, 'Call-ID') ?? '' },
    { name: 'CSeq', value: formatCSeq({ number, method }) },
    ...getHeaders(invite, 'Route').map((value) => ({ name: 'Route', value })),
    ...extraHeaders,
    { name: 'Content-Length', value: '0' },
  ]
  return { kind: 'request', method, uri: invite.uri, headers, body: NO_BODY }
}
