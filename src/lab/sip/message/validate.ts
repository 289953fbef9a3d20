/**
 * Decides whether a message may be processed, and with which status a request is refused (RFC 3261 §8.1.3,
 * §8.2).
 */

import type { NameAddr } from '../../../platform/sip-grammar/name-addr.js'
import { parseNameAddr, parseNameAddrList } from '../../../platform/sip-grammar/name-addr.js'
import { parseUri, schemeOf } from '../../../platform/sip-grammar/uri.js'
import { findUnacceptable, type Refusal } from './acceptance.js'
import { type CSeq, parseCSeq } from './cseq.js'
import { isSameHeader } from './header-names.js'
import { getHeader, getListValues } from './headers.js'
import type { Flaw } from './limits.js'
import { isKnownMethod } from './registry.js'
import type { SipMessage, SipRequest, SipResponse, Via } from './types.js'
import { BRANCH_COOKIE, parseViaList } from './via.js'

/** The headers that every layer above needs, parsed once. */
export interface Essentials {
  readonly via: Via
  readonly from: NameAddr
  readonly to: NameAddr
  readonly callId: string
  readonly cseq: CSeq
}

export type Verdict =
  | { readonly type: 'accept'; readonly essentials: Essentials }
  | ({ readonly type: 'refuse' } & Refusal)
  | { readonly type: 'drop'; readonly why: string }

const SINGLE = ['From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards'] as const

/** Checks a request. A faulty ACK is dropped, because an ACK is never answered (RFC 3261 §17). */
export function judgeRequest(request: SipRequest, flaw?: Flaw): Verdict {
  const verdict = examineRequest(request, flaw)
  if (verdict.type !== 'refuse') return verdict
  if (request.method === 'ACK') return { type: 'drop', why: verdict.reason }
  if (getHeader(request, 'Via') === undefined) return { type: 'drop', why: 'no Via to answer to' }
  return verdict
}

function examineRequest(request: SipRequest, flaw: Flaw | undefined): Verdict {
  if (flaw !== undefined) return refuse(flaw.status, flaw.reason)
  const repeated = findRepeated(request)
  if (repeated !== undefined) return refuse(400, `Repeated ${repeated}`)
  const essentials = readEssentials(request)
  if ('missing' in essentials) return refuse(400, `Missing or Malformed ${essentials.missing}`)
  const flawed = checkStartLine(request, essentials) ?? checkHeaders(request, essentials)
  if (flawed !== undefined) return flawed
  const refusal = findUnacceptable(request)
  return refusal === undefined ? { type: 'accept', essentials } : { type: 'refuse', ...refusal }
}

/** Checks a response. A faulty one is dropped, because responses are never answered. */
export function judgeResponse(response: SipResponse, flaw?: Flaw): Verdict {
  if (flaw !== undefined) return { type: 'drop', why: flaw.reason }
  const repeated = findRepeated(response)
  if (repeated !== undefined) return { type: 'drop', why: `repeated ${repeated}` }
  const essentials = readEssentials(response)
  if ('missing' in essentials) return { type: 'drop', why: `malformed ${essentials.missing}` }
  // RFC 3261 §8.1.3.3: more than one Via, and the response is not for this user agent.
  if (getListValues(response, 'Via').length !== 1) return { type: 'drop', why: 'more than one Via' }
  return { type: 'accept', essentials }
}

const SERVICE_URN = /^urn:service:[a-z0-9.-]{1,255}$/i

function refuse(status: number, reason: string): Verdict {
  return { type: 'refuse', status, reason, headers: [] }
}

function findRepeated(message: SipMessage): string | undefined {
  for (const name of SINGLE) {
    let count = 0
    for (const header of message.headers) if (isSameHeader(header.name, name)) count++
    if (count > 1) return name
  }
  return undefined
}

function readEssentials(message: SipMessage): Essentials | { missing: string } {
  const via = readHeader(message, 'Via', parseViaList)?.[0]
  if (via === undefined) return { missing: 'Via' }
  const from = readHeader(message, 'From', parseNameAddr)
  if (from === undefined) return { missing: 'From' }
  const to = readHeader(message, 'To', parseNameAddr)
  if (to === undefined) return { missing: 'To' }
  const callId = getHeader(message, 'Call-ID')
  if (!callId || /[\s,]/.test(callId)) return { missing: 'Call-ID' }
  const cseq = readHeader(message, 'CSeq', parseCSeq)
  return cseq === undefined ? { missing: 'CSeq' } : { via, from, to, callId, cseq }
}

function readHeader<T>(
  message: SipMessage,
  name: string,
  parse: (value: string) => T | undefined,
): T | undefined {
  const value = getHeader(message, name)
  return value === undefined ? undefined : parse(value)
}

function checkStartLine(request: SipRequest, { cseq, via }: Essentials): Verdict | undefined {
  if (cseq.method !== request.method) {
    // RFC 4475 §3.1.2.18: 501 rather than 400 for a method that we do not know.
    return isKnownMethod(request.method)
      ? refuse(400, 'CSeq Method Mismatch')
      : refuse(501, 'Not Implemented')
  }
  const uri = parseUri(request.uri)
  // RFC 5031: a call may be for a service, which has no host.
  if (uri === undefined && !SERVICE_URN.test(request.uri)) {
    const scheme = schemeOf(request.uri)
    const isOurs = scheme === undefined || scheme === 'sip' || scheme === 'sips' || scheme === 'tel'
    return isOurs ? refuse(400, 'Malformed Request-URI') : refuse(416, 'Unsupported URI Scheme')
  }
  // RFC 3261 §19.1.1, table 1: no headers in a Request-URI.
  for (const _ in uri?.headers) return refuse(400, 'Headers in Request-URI')
  // RFC 4475 §3.2.1: the cookie promises an identifier.
  if (via.params['branch'] === BRANCH_COOKIE) return refuse(400, 'Empty Transaction Identifier')
  return undefined
}

function checkHeaders(request: SipRequest, { to }: Essentials): Verdict | undefined {
  const maxForwards = getHeader(request, 'Max-Forwards')
  // RFC 3261 §20.22: 0 to 255, with leading zeros (RFC 4475 §3.1.1.1).
  if (maxForwards !== undefined && !(/^\d{1,10}$/.test(maxForwards) && Number(maxForwards) < 256))
    return refuse(400, 'Malformed Max-Forwards')
  if (!areContactsSound(request)) return refuse(400, 'Malformed Contact')
  const scheme = schemeOf(to.uri)
  // RFC 3261 §10.2: an address of record is a SIP or SIPS URI.
  if (request.method === 'REGISTER' && scheme !== 'sip' && scheme !== 'sips')
    return refuse(400, 'Address of Record Is No SIP URI')
  return undefined
}

/**
 * True when the Contacts are sound; `*` in a REGISTER stands for all of them (RFC 3261 §10.2.2).
 */
function areContactsSound(request: SipRequest): boolean {
  for (const { name, value } of request.headers)
    if (name === 'Contact' && value !== '*' && parseNameAddrList(value) === undefined) return false
  return true
}
