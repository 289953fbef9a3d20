/** Accepts a MESSAGE (RFC 3428) from a softphone at a SIP domain; the rules are those of calls. */
import { isShortCode } from '../../../destinations/short-code.js'
import { parseNameAddr } from '../../../platform/sip-grammar/name-addr.js'
import { userOf } from '../../../platform/sip-grammar/plain-uri.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import { numberFromSipUser } from '../../model/address.js'
import { readText, TEXT_TYPES } from '../../registrar/read-text.js'
import { secureWarning } from '../../registrar/secure-transport.js'
import type { SoftphoneTexts } from '../../registrar/softphone-texts.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { OutsideRequest } from '../../telephony/port.js'
import { authenticateAt, type DomainAuthDeps } from './domain-authentication.js'
import { provenCaller } from './proven-caller.js'

export interface DomainTextDeps extends DomainAuthDeps {
  readonly texts: Pick<SoftphoneTexts, 'take'>
}

/** Returns the handler of MESSAGEs at a domain. */
export function textHandler(deps: DomainTextDeps) {
  return {
    takeText: (request: OutsideRequest, domain: SipDomain) => answerText(request, domain, deps),
  }
}

async function answerText(
  request: OutsideRequest,
  domain: SipDomain,
  deps: DomainTextDeps,
): Promise<void> {
  const account = await deps.accounts.find(domain.accountSid)
  const unsafe = secureWarning(domain, request.source.transport)
  if (account?.status !== 'active' || unsafe !== undefined) {
    request.reject(403, 'Forbidden', unsafe)
    return
  }
  const caller = await authenticateAt(askedOf(request), domain, deps)
  if (caller.type === 'drop') return
  if (caller.type === 'reject') request.reject(caller.status, caller.reason, caller.headers)
  else await handleText(request, writerAt(domain, caller.username, request), deps)
}

function askedOf(request: OutsideRequest) {
  return {
    method: request.method,
    requestUri: request.requestUri,
    authorization: request.header('Authorization') ?? request.header('Proxy-Authorization'),
    userAgent: request.userAgent,
    address: request.source.address,
  }
}

interface Writer {
  readonly accountSid: string
  readonly username: string | undefined
  /** The sender's number, if it showed one that it is allowed to show. */
  readonly from: string | undefined
}

function writerAt(
  domain: SipDomain,
  username: string | undefined,
  request: OutsideRequest,
): Writer {
  const { accountSid } = domain
  const uri = parseNameAddr(request.header('From') ?? '')?.uri ?? ''
  const { host = '' } = parseUri(uri) ?? {}
  const writer = provenCaller({ user: userOf(uri), host, uri }, username, domain)
  return { accountSid, username, from: numberFromSipUser(writer.user) }
}

async function handleText(
  request: OutsideRequest,
  writer: Writer,
  { texts }: Pick<DomainTextDeps, 'texts'>,
): Promise<void> {
  const { body } = request
  if (body === undefined) {
    request.reject(413, 'Request Entity Too Large')
    return
  }
  const read = readText({
    type: request.header('Content-Type'),
    encoding: request.header('Content-Encoding'),
    body,
  })
  if (read.type === 'ignored') request.accepted(200)
  else if (read.type === 'malformed') request.reject(400, 'Bad Request')
  // RFC 3261 §21.4.13: lists the supported types.
  else if (read.type === 'unsupported')
    request.reject(415, 'Unsupported Media Type', { Accept: TEXT_TYPES })
  else await send(request, writer, read.text, { texts })
}

async function send(
  request: OutsideRequest,
  writer: Writer,
  text: string,
  { texts }: Pick<DomainTextDeps, 'texts'>,
): Promise<void> {
  const user = userOf(request.requestUri)
  const to = numberFromSipUser(user) ?? (isShortCode(user ?? '') ? user : undefined)
  const callId = request.header('Call-ID')
  const cseq = request.header('CSeq')
  if (callId === undefined || cseq === undefined) {
    request.reject(400, 'Bad Request')
    return
  }
  if (to === undefined) {
    request.reject(404, 'Not Found')
    return
  }
  const answer = await texts.take({
    ...writer,
    to,
    text,
    validitySeconds: secondsOf(request.header('Expires')),
    idempotencyKey: `sip ${callId} ${cseq}`,
  })
  if (answer.status === 202) request.accepted(202)
  else request.reject(answer.status, answer.reason, answer.headers)
}

function secondsOf(text: string | undefined): number | undefined {
  const seconds = /^\d{1,9}$/.test(text ?? '') ? Number(text) : 0
  return seconds > 0 ? seconds : undefined
}
