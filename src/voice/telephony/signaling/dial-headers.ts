import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import type { BodyPart } from '../port.js'
import { type DialAuth, type DialCaller, type DialRequest, UnsafeArgumentError } from '../port.js'
import type { MediaSecurity } from '../sdp.js'
import { isSecureHop } from '../secure-hop.js'
import { checkParts } from './multipart-body.js'
import { nameAddress, responseHeaders, sipText, sipUri } from './sip-text.js'

const ANY_CHANNEL = '00000000-0000-0000-0000-000000000000'

/** A dial request whose texts are safe to send. */
export interface CheckedDial {
  readonly uri: string
  readonly callId: string
  readonly from: DialCaller
  readonly loopback: DialRequest['loopback']
  readonly maxForwards: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly parts: readonly BodyPart[]
  readonly proxy: string | undefined
  /** The IP address that the INVITE is sent to; undefined for a host name. */
  readonly hopAddress: string | undefined
  /** True when the INVITE is sent over TLS. */
  readonly isHopSecure: boolean
  readonly auth: DialAuth | undefined
  readonly codecs: DialRequest['codecs']
  readonly beside: DialRequest['beside']
  readonly security: MediaSecurity
  readonly timeoutMs: number
  readonly progressTimeoutMs: number | undefined
  readonly variables: readonly (readonly [name: string, value: string])[]
}

/** Checks a dial request. Throws UnsafeArgumentError before anything is sent. */
export function checkDial(request: DialRequest): CheckedDial {
  const variables = Object.entries(request.variables ?? {})
  for (const [name, value] of variables) setVariableCommand(ANY_CHANNEL, name, value)
  const { user, host, displayName } = request.from
  const callId = randomUUID()
  return {
    uri: sipUri(request.uri),
    callId,
    from: request.from,
    loopback: request.loopback,
    maxForwards: request.maxForwards,
    headers: {
      ...responseHeaders(request.headers),
      // drachtio replaces `localhost` with its own address.
      From: nameAddress({
        user,
        host: host ?? 'localhost',
        displayName,
      }),
      ...(request.to !== undefined && { To: `<${toUri(request.to)}>` }),
      ...(request.maxForwards !== undefined && { 'Max-Forwards': String(request.maxForwards) }),
      'Call-ID': callId,
    },
    parts: checkParts(request.parts ?? []),
    proxy: request.proxy && sipUri(request.proxy),
    hopAddress: hopAddress(request.proxy ?? request.uri),
    isHopSecure: isSecureHop(request.proxy ?? request.uri),
    auth: request.auth && checkAuth(request.auth),
    codecs: request.codecs,
    beside: request.beside,
    security: request.isMediaSecure === true ? 'secure' : 'plain',
    timeoutMs: request.timeoutMs,
    progressTimeoutMs: request.progressTimeoutMs,
    variables,
  }
}

/** Returns the IP address that a request to the URI is sent to; undefined for a host name. */
function hopAddress(uri: string): string | undefined {
  const { host = '', params = {} } = parseUri(uri) ?? {}
  // A maddr parameter overrides the host (RFC 3261 §19.1.1).
  const address = (params['maddr'] ?? host).replace(/^\[(.*)\]$/, '$1')
  return isIP(address) === 0 ? undefined : address
}

/** RFC 5031: a To header may name the emergency service. */
function toUri(uri: string): string {
  return uri === 'urn:service:sos' ? uri : sipUri(uri)
}

/** Checks the credentials. The username is quoted in a header; the password is only hashed. */
export function checkAuth(auth: DialAuth): DialAuth {
  if (/["\\]/.test(sipText(auth.username)))
    throw new UnsafeArgumentError('not a user name for digest authentication')
  return auth
}
