import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import type { OutsideRequest } from '../port.js'
import {
  bounded,
  MAX_PARTY_CHARS,
  MAX_TEXT_BODY_CHARS,
  MAX_TEXT_CHARS,
  MAX_VALUE_CHARS,
} from './headers.js'
import { ALLOW, SUPPORTED, unsupportedBy } from './option-tags.js'
import type { SignalingConnection } from './signaling-connection.js'
import { responseHeaders, sipText } from './sip-text.js'

/** The answer to OPTIONS: the same capabilities as in an answer to INVITE (RFC 3261 §11.2). */
const CAPABILITIES = {
  Allow: `${ALLOW}, MESSAGE`,
  Accept: 'application/sdp',
  Supported: SUPPORTED.join(', '),
}
const NO_DIALOG = 481
const METHOD_NOT_ALLOWED = 405
const BAD_EXTENSION = 420
/** Methods that are only valid inside a dialog (RFC 6086 §4.2.2, RFC 6665 §4.1.3). */
const DIALOG_METHODS = ['INFO', 'NOTIFY']

/** True when the request is inside a dialog: it has a To tag (RFC 3261 §12.2.2). */
export function namesDialog(req: SrfRequest): boolean {
  const to = req.get('To') ?? ''
  return /;\s*tag\s*=/i.test(to.slice(to.lastIndexOf('>') + 1))
}

/**
 * Returns the request in the port's form. For an unknown dialog, answers 481 and returns undefined (RFC 3261
 * §12.2.2).
 */
export function outsideRequest(
  req: SrfRequest,
  res: SrfResponse,
  signaling: SignalingConnection,
): OutsideRequest | undefined {
  if (namesDialog(req)) {
    res.send(NO_DIALOG)
    return undefined
  }
  const { method } = req
  const userAgent = req.get('User-Agent')
  return {
    method,
    source: { address: req.source_address, port: req.source_port, transport: req.protocol },
    userAgent: userAgent && bounded(userAgent, MAX_TEXT_CHARS),
    server: signaling.name,
    body: (req.body?.length ?? 0) > MAX_TEXT_BODY_CHARS ? undefined : (req.body ?? ''),
    requestUri: bounded(req.uri, MAX_PARTY_CHARS),
    header: (name) => {
      const value = req.get(name)
      return value === undefined || value.length > MAX_VALUE_CHARS ? undefined : value
    },
    isTooLong: (name) => (req.get(name)?.length ?? 0) > MAX_VALUE_CHARS,
    parties: [req.get('From') ?? '', req.get('To') ?? ''].map((party) =>
      bounded(party, MAX_PARTY_CHARS),
    ),
    answer: () => {
      if (method === 'OPTIONS') {
        const unsupported = unsupportedBy(req)
        if (unsupported === undefined) res.send(200, { headers: { ...CAPABILITIES } })
        else res.send(BAD_EXTENSION, { headers: unsupported })
      } else if (DIALOG_METHODS.includes(method)) res.send(NO_DIALOG)
      else res.send(METHOD_NOT_ALLOWED, { headers: { Allow: ALLOW } })
    },
    reject: (status, reason, headers) => {
      res.send(status, sipText(reason), { headers: responseHeaders(headers) })
    },
    accepted: (status) => {
      res.send(status)
    },
    registered: (contacts, headers) => {
      const own = responseHeaders(headers)
      if (contacts.length > 0) own['Contact'] = contacts.map(sipText).join(', ')
      res.send(200, { headers: own })
    },
  }
}
