import { isSameHeader } from '../message/header-names.js'
import type { SipHeader, SipRequest, Via } from '../message/types.js'
import { formatVia, parseViaList } from '../message/via.js'
import type { SipPeer } from '../model/stack-types.js'

/**
 * Notes in the top Via where a request came from: `received` when its sender's address is another
 * (RFC 3261 §18.2.1), and both parameters when it asks for `rport` (RFC 3581 §4).
 */
export function noteSource(request: SipRequest, via: Via, from: SipPeer): SipRequest {
  const wantsPort = via.params['rport'] !== undefined
  if (!wantsPort && via.host === from.address) return request
  const params: Record<string, string> = { ...via.params, received: from.address }
  if (wantsPort) params['rport'] = String(from.port)
  const top = formatVia({ ...via, params })

  const index = request.headers.findIndex((header) => isSameHeader(header.name, 'Via'))
  const value = request.headers[index]?.value ?? ''
  const others = value.includes(',') ? (parseViaList(value)?.slice(1) ?? []) : []
  const vias: SipHeader[] = [top, ...others.map(formatVia)].map((v) => ({ name: 'Via', value: v }))
  const headers = [...request.headers.slice(0, index), ...vias, ...request.headers.slice(index + 1)]
  return { ...request, headers }
}

/** The destination of a response: the source, at the port that the Via asks for (RFC 3261 §18.2.2). */
export function responseRoute(
  from: SipPeer,
  via: Via,
): { readonly to: SipPeer; readonly fallbackPort: number } {
  const sentByPort = via.port ?? (from.transport === 'tls' ? 5061 : 5060)
  // RFC 3581 §4, and a connection is its own way back.
  const isSymmetric = from.transport !== 'udp' || via.params['rport'] !== undefined
  return { to: isSymmetric ? from : { ...from, port: sentByPort }, fallbackPort: sentByPort }
}
