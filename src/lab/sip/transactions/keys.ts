/** Makes the keys by which messages find their transactions (RFC 3261 §17.1.3, §17.2.3). */
import { getHeader } from '../message/headers.js'
import type { SipRequest } from '../message/types.js'
import type { Essentials } from '../message/validate.js'
import { BRANCH_COOKIE } from '../message/via.js'

export function clientKey(branch: string, method: string): string {
  return `${branch} ${method}`
}

/** The key of the server transaction of a request; `method` is INVITE for its ACK and its CANCEL. */
export function serverKey(request: SipRequest, essentials: Essentials, method: string): string {
  const { via } = essentials
  const branch = via.params['branch'] ?? ''
  if (branch.startsWith(BRANCH_COOKIE))
    return `${branch} ${via.host.toLowerCase()}:${via.port ?? 5060} ${method}`
  // RFC 2543 has no identifier: the whole request is one, without the To tag that its ACK has.
  const { from, callId, cseq } = essentials
  const top = getHeader(request, 'Via') ?? ''
  return [request.uri, from.params['tag'] ?? '', callId, cseq.number, top, method].join(' ')
}

/** The key of a request's copies that came over different paths (RFC 3261 §8.2.2.2). */
export function mergeKey({ from, callId, cseq }: Essentials): string {
  return `${callId} ${from.params['tag'] ?? ''} ${cseq.number} ${cseq.method}`
}
