/**
 * The registrar (RFC 3261 §10): processes REGISTER requests of softphones at the SIP domains of
 * accounts.
 */
import type { Accounts } from '../../accounts/accounts.js'
import { Rounds } from '../../platform/async/rounds.js'
import type { Clock } from '../../platform/clock.js'
import { newSid } from '../../platform/ids.js'
import type { Logger } from '../../platform/log.js'
import { parseNameAddr } from '../../platform/sip-grammar/name-addr.js'
import { quote } from '../../platform/sip-grammar/scan.js'
import { parseUri } from '../../platform/sip-grammar/uri.js'
import type { RefusedCalls } from '../refused-calls/refused-calls.js'
import type { SipDomain } from '../sip-domains/sip-domain.js'
import type { OutsideRequest } from '../telephony/port.js'
import type { Binding } from './binding.js'
import type { Bindings } from './bindings.js'
import { isBehindNat, readContacts, type WantedContact, type WantedContacts } from './contacts.js'
import {
  type DigestGate,
  type DigestRefusal,
  type DigestRequest,
  type DigestVerdict,
  MISDIRECTED,
} from './digest-gate.js'
import { RETRY_AFTER_SECONDS } from './guess-limit.js'
import { secureWarning } from './secure-transport.js'
import { warning } from './warning.js'

export interface RegistrarDeps {
  readonly accounts: Accounts
  readonly bindings: Bindings
  readonly gate: DigestGate
  readonly refusedCalls: Pick<RefusedCalls, 'note'>
  readonly clock: Clock
  readonly log: Logger
}

/** Minimum and maximum expiry of a contact, s. */
const MIN_SECONDS = 60
const MAX_SECONDS = 86_400
const DEFAULT_SECONDS = 3_600
/**
 * Interval between commits of authenticated REGISTERs, ms. Many share one commit, which costs a
 * disk flush; softphones retransmit only after 500 ms (RFC 3261 §17.1.2.1).
 */
const ROUND_MS = 200

/** Extensions that a REGISTER may require (RFC 5626, RFC 5627). */
const EXTENSIONS = ['gruu', 'outbound']
/**
 * Headers that decide what a REGISTER does. If one is too long to be read, the request is refused.
 */
const READ_HEADERS = ['Authorization', 'Call-ID', 'Contact', 'CSeq', 'Expires', 'To']

/** A REGISTER with its mandatory parts. */
interface Register {
  readonly request: OutsideRequest
  readonly domain: SipDomain
  /** User part of the address of record in To. */
  readonly user: string
  readonly callId: string
  readonly cseq: number
}

export class Registrar implements Disposable {
  readonly #deps: RegistrarDeps
  readonly #rounds = new Rounds(ROUND_MS)

  constructor(deps: RegistrarDeps) {
    this.#deps = deps
  }

  /** From now on, REGISTERs are not collected into shared commits. */
  [Symbol.dispose](): void {
    this.#rounds[Symbol.dispose]()
  }

  /** Responds to a REGISTER at the domain. */
  async register(received: OutsideRequest, domain: SipDomain): Promise<void> {
    const { accounts } = this.#deps
    const request = this.#noting(received, domain)
    const unknown = unknownExtensions(request.header('Require'))
    const unsafe = secureWarning(domain, request.source.transport)
    const account = await accounts.find(domain.accountSid)
    if (account?.status !== 'active')
      this.#noting(received, domain, 'the account is not active').reject(403, 'Forbidden')
    else if (unsafe !== undefined) request.reject(403, 'Forbidden', unsafe)
    else if (!domain.sipRegistration)
      request.reject(403, 'Forbidden', warning(32212, 'registration is switched off'))
    // RFC 3261 §8.2.2.3
    else if (unknown.length > 0)
      request.reject(420, 'Bad Extension', { Unsupported: unknown.join(', ') })
    else if (READ_HEADERS.some((name) => request.isTooLong(name)))
      request.reject(513, 'Message Too Large')
    else await this.#authenticate(received, domain)
  }

  /** Returns the request with a `reject` that reports refusals; a challenge is none (RFC 3261 §22). */
  #noting(request: OutsideRequest, domain: SipDomain, why?: string): OutsideRequest {
    return {
      ...request,
      reject: (status, reason, headers) => {
        request.reject(status, reason, headers)
        // `399 trunkline "32212 registration is switched off"`
        const { Warning: warned } = headers ?? {}
        const text = typeof warned === 'string' ? /"([^"]*)"/.exec(warned)?.[1] : undefined
        if (status !== 401) this.#note(request, domain, { status, why: why ?? text ?? reason })
      },
    }
  }

  #note(
    request: OutsideRequest,
    { accountSid }: SipDomain,
    refusal: { readonly status: number; readonly why: string },
  ): void {
    this.#deps.refusedCalls.note({
      ...request.source,
      method: 'REGISTER',
      fromUri: parseNameAddr(request.parties[0] ?? '')?.uri ?? '',
      called: request.requestUri,
      callId: request.header('Call-ID') ?? '',
      userAgent: request.userAgent ?? '',
      accountSid,
      ...refusal,
    })
  }

  async #authenticate(received: OutsideRequest, domain: SipDomain): Promise<void> {
    const request = this.#noting(received, domain)
    const asked: DigestRequest = {
      method: request.method,
      requestUri: request.requestUri,
      place: { type: 'domain', domainSid: domain.sid, purpose: 'registrations' },
      authorization: request.header('Authorization'),
      userAgent: request.userAgent,
      address: request.source.address,
    }
    const verdict = await this.#deps.gate.judge(asked)
    if (verdict.type !== 'accepted') {
      const why = whyRefused(verdict)
      if (verdict.type === 'ignore') this.#note(received, domain, { status: 0, why })
      refuse(this.#noting(received, domain, why), verdict)
      return
    }
    await this.#rounds.join()
    const register = readRegister(request, domain)
    if (register === undefined) request.reject(400, 'Bad Request')
    // RFC 3261 §10.3 step 4: a user may only register itself.
    else if (register.user !== verdict.username)
      request.reject(403, 'Forbidden', warning(32212, 'the credentials are of another user'))
    else await this.#obey(register, verdict, asked)
  }

  async #obey(
    register: Register,
    { use }: Extract<DigestVerdict, { readonly type: 'accepted' }>,
    asked: DigestRequest,
  ): Promise<void> {
    const { bindings, clock, gate } = this.#deps
    const { request, domain, user } = register
    const wanted = readContacts(request.header('Contact'), request.header('Expires'))
    if (wanted.type === 'malformed') {
      request.reject(400, 'Bad Request', warning(32105, 'Contact cannot be read'))
      return
    }
    if (isTooBrief(wanted)) {
      request.reject(423, 'Interval Too Brief', { 'Min-Expires': String(MIN_SECONDS) })
      return
    }
    const put = contactsOf(wanted).flatMap((contact) => this.#bindingOf(contact, register))
    const gone = contactsOf(wanted).filter(({ expires }) => expires === 0)
    const outcome = await bindings.change(
      { domainSid: domain.sid, username: user },
      {
        put,
        remove: wanted.type === 'remove-all' ? 'all' : gone.map(({ key }) => key),
        callId: register.callId,
        cseq: register.cseq,
        isQuery: wanted.type === 'query',
        use,
      },
    )
    if (outcome.type === 'replayed') refuse(request, gate.challengeAgain(asked))
    else if (outcome.type === 'out-of-order') request.reject(500, 'Server Internal Error')
    else {
      const now = clock.now()
      const shown = outcome.bindings.map((binding) => formatContact(binding, domain, request, now))
      request.registered(shown, usesOutbound(request, put) ? { Require: 'outbound' } : {})
    }
  }

  #bindingOf(contact: WantedContact, { request, domain, ...register }: Register): Binding[] {
    if (contact.expires === 0) return []
    const now = this.#deps.clock.now()
    const seconds = Math.min(contact.expires ?? DEFAULT_SECONDS, MAX_SECONDS)
    const { source } = request
    return [
      {
        sid: newSid('RG'),
        accountSid: domain.accountSid,
        domainSid: domain.sid,
        username: register.user,
        key: contact.key,
        contactUri: contact.uri,
        q: contact.q,
        instanceId: contact.instanceId,
        regId: contact.regId,
        userAgent: request.userAgent,
        callId: register.callId,
        cseq: register.cseq,
        source,
        isProbed: source.transport !== 'udp' || isBehindNat(contact.uri, source),
        silentSince: undefined,
        server: request.server,
        expiresAt: now + seconds * 1_000,
        createdAt: now,
        updatedAt: now,
      },
    ]
  }
}

/** Formats a Contact with its remaining seconds, and a public GRUU if the softphone supports it. */
function formatContact(
  binding: Binding,
  domain: SipDomain,
  request: Pick<OutsideRequest, 'header'>,
  now: number,
): string {
  const { instanceId, regId, q } = binding
  const seconds = Math.max(0, Math.round((binding.expiresAt - now) / 1_000))
  const parts = [`<${binding.contactUri}>`, `expires=${seconds}`]
  if (q !== 1_000) parts.push(`q=${q / 1_000}`)
  if (instanceId !== undefined) {
    parts.push(`+sip.instance=${quote(instanceId)}`)
    if (regId !== undefined) parts.push(`reg-id=${regId}`)
    if (supports(request, 'gruu'))
      parts.push(`pub-gruu=${quote(publicGruu(binding.username, instanceId, domain))}`)
  }
  return parts.join(';')
}

/** Returns the URI of one instance of a user, wherever it is registered (RFC 5627 §3.2). */
function publicGruu(username: string, instanceId: string, { domainName }: SipDomain): string {
  return `sip:${username}@${domainName};gr=${instanceId.slice(1, -1)}`
}

/** True when the registrar used a reg-id; its response then says so (RFC 5626 §6). */
function usesOutbound(request: Pick<OutsideRequest, 'header'>, put: readonly Binding[]): boolean {
  return supports(request, 'outbound') && put.some(({ regId }) => regId !== undefined)
}

function supports(request: Pick<OutsideRequest, 'header'>, option: string): boolean {
  const tags = (request.header('Supported') ?? '').toLowerCase().split(/\s*,\s*/)
  return tags.includes(option)
}

function contactsOf(wanted: WantedContacts): readonly WantedContact[] {
  return wanted.type === 'update' ? wanted.contacts : []
}

/** RFC 3261 §10.3 step 7: an expiry below the minimum, except 0, is refused. */
function isTooBrief(wanted: WantedContacts): boolean {
  return contactsOf(wanted).some(
    ({ expires }) => expires !== undefined && expires > 0 && expires < MIN_SECONDS,
  )
}

function readRegister(request: OutsideRequest, domain: SipDomain): Register | undefined {
  const to = parseUri(parseNameAddr(request.header('To') ?? '')?.uri ?? '')
  const callId = request.header('Call-ID')
  const cseq = readCSeq(request.header('CSeq'))
  if (to?.user === undefined || callId === undefined || cseq === undefined) return undefined
  if (to.host.toLowerCase() !== domain.domainName) return undefined
  return { request, domain, user: to.user, callId, cseq }
}

/** Reads the number in a CSeq, which is below 2^31 (RFC 3261 §8.1.1.5). */
function readCSeq(text: string | undefined): number | undefined {
  const [, digits] = /^\s*(\d{1,10})\s+REGISTER\s*$/.exec(text ?? '') ?? []
  const cseq = Number(digits)
  return cseq < 2 ** 31 ? cseq : undefined
}

/** Returns the required option tags that the registrar does not support. */
function unknownExtensions(require: string | undefined): readonly string[] {
  const tags = (require ?? '').split(',').map((tag) => tag.trim())
  return tags.filter((tag) => tag !== '' && !EXTENSIONS.includes(tag.toLowerCase()))
}

/** Says to the operator alone why credentials were refused. */
function whyRefused(verdict: DigestRefusal): string {
  switch (verdict.type) {
    case 'wrong':
      return verdict.isUserKnown ? 'wrong password' : 'digest of an unknown user'
    case 'misdirected':
      return MISDIRECTED
    case 'refuse':
      return 'too many wrong passwords from the address or for the user'
    case 'ignore':
      return 'dropped: the address goes on after too many wrong passwords'
    case 'challenge':
      return 'challenged'
  }
}

/** Responds to a request whose credentials were refused. */
export function refuse(request: Pick<OutsideRequest, 'reject'>, verdict: DigestRefusal): void {
  if (verdict.type === 'challenge')
    request.reject(401, 'Unauthorized', { 'WWW-Authenticate': verdict.challenges })
  else if (verdict.type === 'wrong')
    request.reject(403, 'Forbidden', warning(32202, 'the user name or the password is wrong'))
  else if (verdict.type === 'misdirected')
    request.reject(400, 'Bad Request', warning(32202, MISDIRECTED))
  else if (verdict.type === 'refuse')
    request.reject(503, 'Service Unavailable', { 'Retry-After': String(RETRY_AFTER_SECONDS) })
}
