import { getHeader } from '../sip/message/headers.js'
import type { SipRequest } from '../sip/message/types.js'

/** Programs that look for open telephone systems; no softphone or carrier names itself so. */
const SCANNERS =
  /friendly-(?:scanner|request)|sipvicious|sip-?cli|sip-scan|sipsak|sundayddr|siparmyknife|sivus|iWar|VaxS?IPUserAgent|pplsip/i
const TELLTALE_HEADERS = ['User-Agent', 'From', 'To'] as const

/**
 * What the real server's `<spammers action="discard">` does: any answer, a 100 too, would tell a
 * scanner that somebody is here, so these are gone before a transaction is made.
 */
export function isScanner(request: SipRequest): boolean {
  return TELLTALE_HEADERS.some((name) => SCANNERS.test(getHeader(request, name) ?? ''))
}
