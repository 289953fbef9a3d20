import type { SipHeader, SipRequest } from '../../../src/lab/sip/message/types.js'
import type { SipPeer } from '../../../src/lab/sip/model/stack-types.js'
import { formatHost } from '../../../src/platform/sip-grammar/uri.js'

export interface RequestParts {
  readonly callId?: string
  readonly cseq?: number
  readonly fromTag?: string
  readonly toTag?: string
  readonly headers?: readonly SipHeader[]
  readonly body?: string
}

/** A valid request to a peer, without a Via, to be sent by the stack. */
export function requestTo(peer: SipPeer, method: string, parts: RequestParts = {}): SipRequest {
  const uri = `sip:bob@${formatHost(peer.address, peer.port)};transport=${peer.transport}`
  const toTag = parts.toTag === undefined ? '' : `;tag=${parts.toTag}`
  return {
    kind: 'request',
    method,
    uri,
    headers: [
      { name: 'From', value: `<sip:alice@example.org>;tag=${parts.fromTag ?? 'alice'}` },
      { name: 'To', value: `<sip:bob@example.net>${toTag}` },
      { name: 'Call-ID', value: parts.callId ?? `call-${method}` },
      { name: 'CSeq', value: `${parts.cseq ?? 1} ${method}` },
      { name: 'Contact', value: '<sip:alice@127.0.0.1>' },
      ...(parts.headers ?? []),
    ],
    body: Buffer.from(parts.body ?? ''),
  }
}

/** A request as text, from a peer that adds its own Via. */
export function rawRequest(method: string, via: string, parts: RequestParts = {}): string {
  const peer: SipPeer = { transport: 'udp', address: '127.0.0.1', port: 5060 }
  const request = requestTo(peer, method, parts)
  return [
    `${method} ${request.uri} SIP/2.0`,
    `Via: ${via}`,
    'Max-Forwards: 70',
    ...request.headers.map(({ name, value }) => `${name}: ${value}`),
    `Content-Length: ${String(request.body.length)}`,
    '',
    request.body.toString(),
  ].join('\r\n')
}
