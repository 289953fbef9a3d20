import { isIP } from 'node:net'
import type { AccessLists } from '../../../accounts/access-lists.js'
import type { Account } from '../../../accounts/accounts.js'
import type { Clock } from '../../../platform/clock.js'
import { StorageUnavailableError } from '../../../platform/database/storage-error.js'
import type { Logger } from '../../../platform/log.js'
import { isScannerName } from '../../../platform/scanners.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { SourceLimit } from '../../../platform/source-limit.js'
import type { Carriers } from '../../carriers/carriers.js'
import type { CallRecord } from '../../model/call-record.js'
import { warning } from '../../registrar/warning.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'
import type { Codec } from '../../telephony/codecs.js'
import type { ResponseHeaders } from '../../telephony/port.js'

/** The sender of a request; nothing has been allocated for it yet. */
export interface Sender {
  readonly address: string
  /** The names in the user agent and the From and To headers; scanners identify themselves there. */
  readonly names: readonly (string | undefined)[]
  /** The Request-URI. */
  readonly requestUri: string
  /** True when a request from a carrier's address is for that SIP domain, and not for a number. */
  readonly meansDomain: (domain: SipDomain) => boolean
}

/**
 * `softphone`: the Request-URI names a SIP domain of an account; its password is checked later. `trunk`: the
 * address is on an account's access list.
 */
export type SenderType = 'carrier' | 'stranger' | 'softphone' | 'trunk'

export type SenderClass =
  | { readonly type: 'softphone'; readonly domain: SipDomain }
  | { readonly type: 'carrier' }
  | { readonly type: 'trunk' }
  /** `namesHost`: the Request-URI has a host name that is not a SIP domain, instead of an address. */
  | { readonly type: 'stranger'; readonly namesHost: boolean }
  | (Rejection & { readonly sender: SenderType })
  /** Sends no response, which would reveal the server to a scanner. */
  | { readonly type: 'drop' }

export interface Rejection {
  readonly type: 'reject'
  readonly status: number
  readonly reason: string
  readonly headers?: ResponseHeaders
  /** The reason for the log; absent when it was already logged. */
  readonly why?: string
  /** The account whose events also get the reason. */
  readonly accountSid?: string
  /** The called number in E.164, if known. */
  readonly number?: string
}

export interface TakenCall {
  readonly type: 'take'
  readonly call: CallRecord
  readonly account: Account
  /** The codecs for the caller, preferred first; G.711 when absent. */
  readonly codecs?: readonly Codec[] | undefined
  /** The carrier that sent the call. */
  readonly carrier?: string | undefined
  /** Set when another account calls a number of `account`: the call as its caller places it. */
  readonly outgoing?: { readonly call: CallRecord; readonly account: Account } | undefined
}

/** The decision on an INVITE from outside, made before anything is allocated for it. */
export type Admission = TakenCall | Rejection | { readonly type: 'drop' }

export interface SenderRules {
  readonly carriers: Pick<Carriers, 'byAddress'>
  readonly accessLists: Pick<AccessLists, 'accountsAt'>
  readonly clock: Clock
  readonly log: Logger
  /** The rate limits per address, for each type of sender. */
  readonly sources: Readonly<Record<SenderType, SourceLimit>>
}

/** The header of the 404 to a softphone that is configured with an unknown domain. */
export const UNKNOWN_DOMAIN = warning(32002, 'there is no such SIP domain')

/** A request that can be refused: an INVITE, or one outside a dialog. */
interface Refusable {
  reject(status: number, reason: string, headers?: Readonly<Record<string, string>>): void
}

/** The headers of a 503 (RFC 3261 §21.5.4): a retry may succeed after these seconds. */
const TRY_LATER = { 'Retry-After': '5' } as const

/**
 * Classifies the sender of a request. Refuses scanners and addresses that exceed their rate; signaling
 * servers may have no limit themselves. Looks up the domain and the access lists only for requests within the
 * rate of their address.
 */
export async function classifySender(
  sender: Sender,
  rules: SenderRules,
  domains: Pick<SipDomains, 'find'>,
): Promise<SenderClass> {
  const { address } = sender
  const { carriers, clock, log, sources } = rules
  if (isScannerName(sender.names)) {
    log.debug({ address }, 'ignored a scanner')
    return { type: 'drop' }
  }
  const outside = (await carriers.byAddress(address)) === undefined ? 'stranger' : 'carrier'
  const name = hostName(sender.requestUri)
  const now = clock.monotonic()
  const presumed = presumedType(outside, name)
  if (sources[presumed].isSpent(address, now)) return beyondRate(presumed, address, now, rules)
  const domain = await domainOf(sender, name, outside, domains)
  const type = domain === undefined ? await typeByAddress(outside, address, rules) : 'softphone'
  // A failed lookup counts against the address, so that repeated ones are refused without a lookup.
  if (type !== presumed && type === 'stranger') sources[presumed].charge(address, 1, now)
  if (sources[type].isSpent(address, now)) return beyondRate(type, address, now, rules)
  sources[type].judge(address, now)
  if (domain !== undefined) return { type: 'softphone', domain }
  if (type === 'stranger') return { type, namesHost: name !== undefined }
  return { type: type === 'carrier' ? 'carrier' : 'trunk' }
}

/** Returns the host name in a URI, which may be a SIP domain; undefined for an IP address. */
function hostName(uri: string): string | undefined {
  const host = parseUri(uri)?.host
  // A scanner knows addresses, not names.
  return host === undefined || isIP(host) !== 0 || !host.includes('.') ? undefined : host
}

/** Returns the sender type whose rate applies until the sender is known. */
function presumedType(outside: 'carrier' | 'stranger', name: string | undefined): SenderType {
  if (outside === 'carrier') return 'carrier'
  return name === undefined ? 'trunk' : 'softphone'
}

async function typeByAddress(
  outside: 'carrier' | 'stranger',
  address: string,
  { accessLists }: SenderRules,
): Promise<'carrier' | 'stranger' | 'trunk'> {
  if (outside === 'carrier') return 'carrier'
  return (await accessLists.accountsAt(address)).length > 0 ? 'trunk' : 'stranger'
}

/** Returns the SIP domain that the request is for. */
async function domainOf(
  { meansDomain }: Sender,
  name: string | undefined,
  outside: 'carrier' | 'stranger',
  domains: Pick<SipDomains, 'find'>,
): Promise<SipDomain | undefined> {
  const domain = name === undefined ? undefined : await domains.find(name)
  if (domain === undefined || (outside === 'carrier' && !meansDomain(domain))) return undefined
  return domain
}

/** Returns the result for a request of an address that has exceeded its rate. */
function beyondRate(
  type: SenderType,
  address: string,
  now: number,
  { log, sources }: SenderRules,
): SenderClass {
  if (sources[type].judge(address, now) === 'ignore') return { type: 'drop' }
  log.warn({ address, type }, 'refused requests of an address beyond its rate')
  const refused = { type: 'reject', status: 503, reason: 'Service Unavailable' } as const
  // Unknown senders are reported as strangers, so that the response reveals nothing about access lists.
  return { ...refused, sender: type === 'trunk' ? 'stranger' : type, headers: TRY_LATER }
}

/** Refuses a request that may succeed a little later. */
export function refuseForNow(request: Refusable): void {
  request.reject(503, 'Service Unavailable', TRY_LATER)
}

/**
 * Refuses a request that failed inside the server, with 503 when the storage is full or unavailable. Returns
 * the status.
 */
export function refuseFailed(request: Refusable, error: unknown): 500 | 503 {
  if (error instanceof StorageUnavailableError) {
    refuseForNow(request)
    return 503
  }
  request.reject(500, 'Server Internal Error')
  return 500
}
