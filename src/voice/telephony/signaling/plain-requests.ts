import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import type {
  DialAuth,
  FlowAddress,
  RegisterOutcome,
  RegisterRequest,
  SipText,
  Telephony,
} from '../port.js'
import { isSecureHop } from '../secure-hop.js'
import { checkAuth } from './dial-headers.js'
import { digestAuth } from './digest-auth.js'
import { secondsOf } from './headers.js'
import type { SignalingConnection } from './signaling-connection.js'
import { nameAddress, sipText, sipUri } from './sip-text.js'

/** A request of ours outside a dialog; its texts have been checked. */
interface PlainRequest {
  readonly method: 'OPTIONS' | 'REGISTER' | 'MESSAGE'
  readonly uri: string
  readonly proxy?: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly auth?: DialAuth | undefined
  readonly body?: string | undefined
}

/** Maximum time to a response, ms; UDP requests are retransmitted until then. */
const LIMIT_MS = 5_000

/** Returns a REGISTER (RFC 3261 §10.2). Throws UnsafeArgumentError for unsafe text. */
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

/** Returns the Contact with `transport=tls` when the REGISTER is sent over TLS. */
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

/** Returns an OPTIONS whose response only proves that the peer can be reached. */
export function optionsTo(uri: string, proxy: string): PlainRequest {
  const headers = { From: '<sip:keep-alive@localhost>' }
  return { method: 'OPTIONS', uri: sipUri(uri), proxy: sipUri(proxy), headers }
}

/** Returns an OPTIONS to a server that calls are sent to, with the Contact that its INVITEs have. */
export function probeOf({ auth, proxy, uri }: Parameters<Telephony['probe']>[0]): PlainRequest {
  const options = optionsTo(uri, proxy)
  const contact = contactOver(proxy, '<sip:trunkline@localhost>')
  const headers = { ...options.headers, Contact: contact }
  return { ...options, headers, auth: auth && checkAuth(auth) }
}

/** Returns a MESSAGE (RFC 3428 §4). Throws UnsafeArgumentError for unsafe text. */
export function messageTo({ uri, proxy }: FlowAddress, { from, body }: SipText): PlainRequest {
  const headers = {
    From: nameAddress({ user: from, host: 'localhost' }),
    'Content-Type': 'text/plain;charset=utf-8',
  }
  return { method: 'MESSAGE', uri: sipUri(uri), proxy: sipUri(proxy), headers, body }
}

/**
 * Sends a request. Resolves with its final response, or with undefined when none came in time. `onSent` is
 * called with the request as drachtio wrote it.
 */
export function sendRequest(
  { method, uri, proxy, headers, auth, body }: PlainRequest,
  signaling: SignalingConnection,
  onSent: (request: SrfRequest) => void = () => undefined,
): Promise<SrfResponse | undefined> {
  const answered = new Promise<SrfResponse | undefined>((resolve) => {
    const options = {
      method,
      // drachtio-srf writes into this object.
      headers: { ...headers },
      ...(proxy === undefined ? {} : { proxy }),
      ...(auth === undefined ? {} : { auth: digestAuth(auth, signaling.allowAnotherChallenge) }),
      ...(body === undefined ? {} : { body }),
    }
    const onResponse = (response: SrfResponse): void => {
      if (response.status >= 200) resolve(response)
    }
    signaling.srf.request(uri, options, (err, request?: SrfRequest) => {
      if (err || !request) {
        resolve(undefined)
        return
      }
      onSent(request)
      // A retry with credentials takes over this listener.
      request.on('response', onResponse)
    })
  })
  return withLimit(answered, LIMIT_MS, () => undefined)
}
