import type { SrfResponse } from 'drachtio-srf'
import type { RegisterOutcome, RegisterRequest } from '../port.js'
import { isSecureHop } from '../secure-hop.js'
import { checkAuth } from './dial-headers.js'
import { secondsOf } from './seconds-header.js'
import type { PlainRequest } from './send-request.js'
import { nameAddress, sipText, sipUri } from './sip-text.js'

/** Writes a REGISTER (RFC 3261 §10.2). Throws UnsafeArgumentError before anything is sent. */
export function registerRequest(request: RegisterRequest): PlainRequest {
  const { auth, callId, cseq, expiresSeconds, host, proxy, registrar, user } = request
  const self = nameAddress({ user, host })
  return {
    method: 'REGISTER',
    uri: sipUri(registrar),
    proxy: proxy && sipUri(proxy),
    headers: {
      From: self,
      To: self,
      // drachtio replaces `localhost` with its own address.
      Contact: contactOver(proxy ?? registrar, nameAddress({ user, host: 'localhost' })),
      Expires: String(expiresSeconds),
      'Call-ID': sipText(callId),
      CSeq: `${String(cseq)} REGISTER`,
    },
    auth: auth && checkAuth(auth),
  }
}

/** The Contact for requests over TLS, when the REGISTER goes over it. */
function contactOver(hop: string, contact: string): string {
  return isSecureHop(hop) ? contact.replace(/>$/, ';transport=tls>') : contact
}

/** Reads the registrar's answer (RFC 3261 §10.2.1, §10.2.8). */
export function registerOutcome(response: SrfResponse): RegisterOutcome {
  const [, ofContact] = /;\s*expires\s*=\s*(\d{1,9})/i.exec(response.get('Contact') ?? '') ?? []
  return {
    status: response.status,
    expiresSeconds: secondsOf(ofContact ?? response.get('Expires')),
    minExpiresSeconds: secondsOf(response.get('Min-Expires')),
    retryAfterSeconds: secondsOf(response.get('Retry-After')),
  }
}
