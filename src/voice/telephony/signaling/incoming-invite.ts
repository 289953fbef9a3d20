import Srf, { type ParsedAddress, type SrfRequest, type SrfResponse } from 'drachtio-srf'
import { userOf } from '../../../platform/sip-grammar/plain-uri.js'
import { formatHost, parseUri } from '../../../platform/sip-grammar/uri.js'
import type { Codec } from '../codecs.js'
import type { IncomingInvite, OfferedAudio, SipAddress } from '../port.js'
import { audioOf, lacksCodec } from '../sdp.js'
import { mayBringKeys } from '../secure-hop.js'
import { inviteFactsOf } from './dialog-facts-of.js'
import {
  applicationHeaders,
  bounded,
  MAX_CALL_ID_CHARS,
  MAX_PARTY_CHARS,
  MAX_TEXT_CHARS,
  MAX_URI_CHARS,
} from './headers.js'
import { unsupportedBy } from './option-tags.js'
import { namesDialog } from './outside-request.js'
import type { SignalingConnection } from './signaling-connection.js'
import { responseHeaders, sipText } from './sip-text.js'

/** The connection that delivered an INVITE, and the codecs of the media servers. */
export interface Spoken {
  readonly signaling: SignalingConnection
  readonly media: { readonly codecs: readonly Codec[] }
}

const NO_DIALOG = 481
const BAD_EXTENSION = 420

/**
 * Refuses an INVITE in an unknown dialog (RFC 3261 §12.2.2), or with a required extension that we do not
 * support (§8.2.2.3). Returns false when the INVITE may start a call.
 */
export function refusesInvite(req: SrfRequest, res: SrfResponse): boolean {
  const unsupported = unsupportedBy(req)
  if (namesDialog(req)) res.send(NO_DIALOG)
  else if (unsupported !== undefined) res.send(BAD_EXTENSION, { headers: unsupported })
  else return false
  return true
}

/**
 * Returns the INVITE in the port's form; `accept` creates the leg. Undefined when an address cannot be read,
 * or when the Call-ID or an address is too long.
 */
export function incomingInvite(
  req: SrfRequest,
  res: SrfResponse,
  accept: IncomingInvite['accept'],
  { signaling, media }: Spoken,
): IncomingInvite | undefined {
  const callId = req.get('Call-ID')
  const from = addressOf(req, 'from')
  const to = addressOf(req, 'to')
  if (callId === undefined || !from || !to || isTooLong(req, callId)) return undefined
  // RFC 2543 §6.13 allows an INVITE without Contact (RFC 4475 §3.4.1): requests then go to the From URI.
  if (!req.has('Contact')) req.set('Contact', `<${from.uri}>`)
  const userAgent = req.get('User-Agent')
  return {
    callId,
    requestUri: sipAddress({ uri: req.uri, params: {} }),
    from,
    to,
    source: {
      address: req.source_address,
      port: req.source_port,
      transport: req.protocol,
    },
    userAgent: userAgent && bounded(userAgent, MAX_TEXT_CHARS),
    // Computed on demand, so that a scanner's offer is never parsed.
    get audio() {
      return offeredAudio(req, signaling, media.codecs)
    },
    headers: applicationHeaders(req),
    maxForwards: readHops(req.get('Max-Forwards')),
    reject: (status, reason, headers) => {
      const options = { headers: responseHeaders(headers) }
      if (reason === undefined) res.send(status, options)
      else res.send(status, sipText(reason), options)
    },
    facts: inviteFactsOf(req, 'peer', signaling.name),
    drop: () => {
      signaling.forgetInvite(req)
    },
    accept,
  }
}

function offeredAudio(
  req: SrfRequest,
  { hasTls }: SignalingConnection,
  spoken: readonly Codec[],
): OfferedAudio {
  if (!req.body) return 'none'
  const peer = audioOf(req.body)
  if (peer === undefined) return lacksCodec(req.body) ? 'no-common-codec' : 'unusable'
  if (!peer.codecs.some((codec) => spoken.includes(codec))) return 'no-common-codec'
  const { security } = peer
  return security === 'secure' && !mayBringKeys(req.protocol, hasTls) ? 'unusable' : security
}

function readHops(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : undefined
}

function isTooLong(req: SrfRequest, callId: string): boolean {
  return (
    callId.length > MAX_CALL_ID_CHARS ||
    req.uri.length > MAX_URI_CHARS ||
    ['From', 'To', 'Contact'].some((name) => (req.get(name)?.length ?? 0) > MAX_PARTY_CHARS)
  )
}

function addressOf(req: SrfRequest, name: 'from' | 'to'): SipAddress | undefined {
  try {
    return sipAddress(req.getParsedHeader(name))
  } catch (err) {
    // drachtio-srf throws plain errors for headers that are absent or malformed.
    if (err instanceof Error) return undefined
    throw err
  }
}

function sipAddress(parsed: ParsedAddress): SipAddress {
  const read = parseUri(parsed.uri)
  // drachtio-srf also parses users outside the grammar, such as `#31#`.
  const uri = read && { ...read, host: formatHost(read.host) }
  const { host = '', user, port } = uri ?? Srf.parseUri(parsed.uri) ?? {}
  // A display name is a quoted-string or tokens (RFC 3261 §25.1).
  const displayName = bounded(
    (parsed.name ?? '').replace(/^"|"$/g, '').replace(/\\(.)/g, '$1'),
    MAX_TEXT_CHARS,
  )
  return {
    host: host.toLowerCase(),
    uri: parsed.uri,
    user: userOf(parsed.uri) ?? user,
    port,
    displayName: displayName === '' ? undefined : displayName,
  }
}
