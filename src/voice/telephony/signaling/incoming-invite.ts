import Srf, { type ParsedAddress, type SrfRequest, type SrfResponse } from 'drachtio-srf'
import type { IncomingInvite, Leg, LegEvents, SipAddress } from '../port.js'
import { applicationHeaders } from './application-headers.js'
import { sipHeaders, sipText } from './sip-text.js'

/** The INVITE as the port shows it; `accept` makes the leg. Undefined when nobody could answer it. */
export function incomingInvite(
  req: SrfRequest,
  res: SrfResponse,
  accept: (events: LegEvents) => Leg,
  forget: () => void,
): IncomingInvite | undefined {
  const callId = req.get('Call-ID')
  const from = addressOf(req, 'from')
  const to = addressOf(req, 'to')
  // RFC 3261 §8.1.1.8: without a Contact no dialog can be made.
  if (callId === undefined || !from || !to || !req.has('Contact')) return undefined
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
    userAgent: req.get('User-Agent'),
    headers: applicationHeaders(req),
    reject: (status, reason, headers) => {
      const options = { headers: sipHeaders(headers) }
      if (reason === undefined) res.send(status, options)
      else res.send(status, sipText(reason), options)
    },
    drop: forget,
    accept,
  }
}

function addressOf(req: SrfRequest, name: 'from' | 'to'): SipAddress | undefined {
  try {
    return sipAddress(req.getParsedHeader(name))
  } catch (err) {
    // The package throws plain errors about headers that are absent or that it cannot read.
    if (err instanceof Error) return undefined
    throw err
  }
}

function sipAddress(parsed: ParsedAddress): SipAddress {
  const uri = Srf.parseUri(parsed.uri)
  const user = uri?.user ?? uri?.number
  // RFC 3261 §25.1: a quoted-string, or tokens.
  const displayName = parsed.name?.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')
  return {
    host: uri?.host ?? '',
    uri: parsed.uri,
    ...(user !== undefined && { user }),
    ...(uri?.port !== undefined && { port: uri.port }),
    ...(displayName !== undefined && displayName !== '' && { displayName }),
  }
}
