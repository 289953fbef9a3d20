/** The one table from faults of a customer's stream server to their 319xx numbers. Pure. */

import type { OutboundError, OutboundErrorKind } from '../../../platform/http/outbound-error.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { StreamFailure } from '../stream-errors.js'

const CONNECTING: Partial<Readonly<Record<OutboundErrorKind, ErrorNumber>>> = {
  'connect-timeout': 31901,
  'connect-refused': 31902,
  'connect-failed': 31904,
  'blocked-address': 31904,
  dns: 31904,
  tls: 31910,
  'tls-domain': 31910,
  'tls-expired': 31910,
  'tls-untrusted': 31910,
  'bad-url': 31923,
}
const UNKNOWN = 31900
/** Close codes of an end in good order (RFC 6455 §7.4.1): done, going away, no code given. */
const ORDERLY_CLOSES = [1000, 1001, 1005]
/** The code for a connection that was lost without a close (RFC 6455 §7.1.5). */
const LOST = 1006

export function connectFailure(error: OutboundError): StreamFailure {
  return new StreamFailure(CONNECTING[error.kind] ?? UNKNOWN, error.message, { cause: error })
}

export function handshakeFailure(cause: unknown): StreamFailure {
  return new StreamFailure(31920, 'the websocket upgrade was not answered as it should', { cause })
}

/** The failure that a close code means; undefined for an end in good order. */
export function closeFailure(code: number, cause: unknown): StreamFailure | undefined {
  if (isProtocolError(cause))
    return new StreamFailure(31924, 'the far end broke the websocket protocol, or its limits', {
      cause,
    })
  if (ORDERLY_CLOSES.includes(code)) return undefined
  if (code === LOST) return new StreamFailure(31903, 'the connection was lost', { cause })
  return new StreamFailure(31921, `the far end closed with code ${code}`)
}

/** True for the websocket library's own errors, which have codes of this kind. */
function isProtocolError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return typeof error.code === 'string' && error.code.startsWith('WS_ERR_')
}
