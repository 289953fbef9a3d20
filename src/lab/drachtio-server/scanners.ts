import { isScannerName } from '../../platform/scanners.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipRequest } from '../sip/message/types.js'

const TELLTALE_HEADERS = ['User-Agent', 'From', 'To'] as const

/**
 * True for a request of a scanner, as with the real server's `<spammers action="discard">`. Any
 * answer, a 100 too, would tell a scanner that somebody is here, so its requests are dropped before
 * a transaction is made.
 */
export function isScanner(request: SipRequest): boolean {
  return isScannerName(TELLTALE_HEADERS.map((name) => getHeader(request, name)))
}
