import { isInRanges, isLoopback } from '../../platform/cidr.js'
import type { Vault } from '../../platform/secrets.js'
import type { NumberBindings } from '../applications/number-bindings.js'
import type { CarrierServer } from '../carriers/carrier-servers.js'
import { numberFromSipUser } from '../model/address.js'
import type { GatewaySlots, PlannedTarget, SealedAuth } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import { nextHopOf } from '../registrar/binding.js'
import type { ReachableContact, RegisteredContacts } from '../registrar/registered-contacts.js'
import type { SipHosts } from '../sip-location/sip-hosts.js'
import type { DialRequest } from '../telephony/port.js'
import { type CarrierRouteDeps, carrierRoutes, isUnserved } from './carrier-routes.js'
import type { CommonRequest, DialRoute, Warn } from './dial-route.js'
import { gatewayKey } from './dial-route.js'
import {
  shownForwarded,
  telephoneUri,
  tellingForwarders,
  type WriteNumber,
} from './forwarded-request.js'

/**
 * The warning that a SIP URI's host does not resolve, or resolves to an address that may not be
 * called: a private one, or that of a carrier.
 */
const HOST_UNREACHABLE = 13254
/** The warning that the user of a SIP domain is not registered. */
const NOT_REGISTERED = 32009

/** The warning that a gateway takes no more calls now. */
const GATEWAY_FULL = 32001
/** The time in which a host of a gateway must say that it rings, where there is another host. */
const GATEWAY_PROGRESS_MS = 6_000

export interface RouteDeps extends CarrierRouteDeps, LoopbackRouteDeps {
  readonly vault: Vault
  readonly sipHosts: SipHosts
  readonly contacts: Pick<RegisteredContacts, 'find'>
  /** The name that the account's calls from this number show; undefined where none is set. */
  readonly shownName: (accountSid: string, e164: string) => Promise<string | undefined>
}

interface LoopbackRouteDeps {
  readonly numbers: Pick<NumberBindings, 'called'>
}

/**
 * The routes of an outbound call, best first: the contacts of a registered user, the host of a SIP
 * URI, and for a number its account on this server, or else the carriers. Ends once the signal aborts.
 */
export async function* dialRoutes(
  call: CallRecord,
  deps: RouteDeps,
  warn: Warn,
  signal: AbortSignal,
): AsyncGenerator<DialRoute, void> {
  const common: CommonRequest = {
    from: fromOf(call),
    timeoutMs: call.plan.timeoutSeconds * 1_000,
    variables: variablesOf(call),
    maxForwards: call.plan.maxForwards,
    ...(call.plan.sipHeaders === undefined ? {} : { headers: call.plan.sipHeaders }),
  }
  const targets = isForCarriers(call) ? [] : (call.plan.sipTargets ?? [ownTarget(call)])
  let held: number | undefined
  for (const [index, target] of targets.entries()) {
    const { gateway } = target
    if (gateway !== undefined && gateway.id !== held) {
      if (!(await claimGateway(call, gateway, deps, warn))) continue
      held = gateway.id
    }
    const around =
      gateway === undefined
        ? common
        : gatewayRequest(call, common, gateway, index + 1 < targets.length)
    const told = tellingForwarders(around, call, writtenFor(target))
    const routes = await targetRoutes(call, target, told, deps, warn, signal)
    if (signal.aborted) return
    yield* routes
  }
  if (targets.length === 0) yield* numberRoutes(call, common, deps, warn, signal)
}

/** The routes to a number: to who holds it here, or else to the carriers. */
async function* numberRoutes(
  call: CallRecord,
  common: CommonRequest,
  deps: RouteDeps,
  warn: Warn,
  signal: AbortSignal,
): AsyncGenerator<DialRoute, void> {
  const { sipAuth } = call.plan
  const ownAuth = sipAuth && openAuth(sipAuth, deps.vault)
  const displayName = await deps.shownName(call.accountSid, call.from)
  const named = { ...common, from: { ...common.from, displayName } }
  const loopback = await loopbackRoute(call, named, deps)
  if (signal.aborted) return
  if (loopback !== undefined) yield loopback
  else yield* carrierRoutes(call, named, ownAuth, deps, warn, signal)
}

/** The route to a number of this server; undefined for any other, and for an emergency call. */
async function loopbackRoute(
  call: CallRecord,
  common: CommonRequest,
  { numbers }: LoopbackRouteDeps,
): Promise<DialRoute | undefined> {
  const { to, plan } = call
  if (plan.emergency !== undefined || (await numbers.called(to)) === undefined) return undefined
  const told = tellingForwarders(common, call, telephoneUri)
  const loopback = { hops: (plan.insideHops ?? 0) + 1 }
  return {
    requests: [{ ...told, uri: `sip:${to}@localhost`, loopback }],
    // Nobody else has the number.
    leadsOn: () => false,
  }
}

/** True for a call to a number, be it an emergency number, that is not led to SIP addresses. */
export function isForCarriers({ to, plan }: Pick<CallRecord, 'to' | 'plan'>): boolean {
  return plan.sipTargets === undefined && (to.startsWith('+') || plan.emergency !== undefined)
}

/** Takes one of the calls at once that a gateway may have; its end gives it back. */
async function claimGateway(
  call: CallRecord,
  { id, limit }: GatewaySlots,
  { carrierClaims }: RouteDeps,
  warn: Warn,
): Promise<boolean> {
  if (await carrierClaims.claimSlot(gatewayKey(id), limit, call.sid)) return true
  warn(GATEWAY_FULL, `gateway ${String(id)} has its ${String(limit)} calls`)
  return false
}

/** A gateway is told the caller's name; one that is silent is left for the next of its hosts. */
function gatewayRequest(
  call: CallRecord,
  common: CommonRequest,
  { forwardedCaller = 'caller' }: GatewaySlots,
  hasMore: boolean,
): CommonRequest {
  const named = { ...common, from: { ...common.from, displayName: call.callerName } }
  return {
    ...shownForwarded(call, named, forwardedCaller).common,
    ...(hasMore ? { progressTimeoutMs: GATEWAY_PROGRESS_MS } : {}),
  }
}

/** A gateway reads numbers at its own host; a registered user gets telephone URIs. */
function writtenFor({ uri }: Target): WriteNumber {
  const [, host] = /^sips?:[^@]*@([^;?]+)/i.exec(uri) ?? []
  return host === undefined ? telephoneUri : (e164) => `sip:${e164}@${host}`
}

type Target = PlannedTarget

/** The routes to a SIP URI, or to a registered user. Warns of a target that cannot be called. */
async function targetRoutes(
  { accountSid }: CallRecord,
  { uri, auth }: Target,
  common: CommonRequest,
  deps: RouteDeps,
  warn: Warn,
  signal: AbortSignal,
): Promise<readonly DialRoute[]> {
  const contacts = await deps.contacts.find(accountSid, uri)
  const secured = { ...common, isMediaSecure: wantsSecureMedia(uri) }
  if (contacts !== undefined) {
    if (contacts.length === 0) warn(NOT_REGISTERED, `${uri} is not registered`)
    return contactRoutes(contacts, uri, secured)
  }
  const host = await deps.sipHosts.find(uri, signal)
  if (signal.aborted) return []
  if (host.type === 'unreachable') {
    warn(HOST_UNREACHABLE, `the host of ${uri} is not known, or may not be called`)
    return []
  }
  if (await isCarriers(host, deps, signal)) {
    warn(HOST_UNREACHABLE, `the host of ${uri} is a carrier of this server: call the number itself`)
    return []
  }
  return [routeOf([{ uri, ...secured, ...proxyOf(host.nextHop), ...authOf(auth, deps.vault) }])]
}

/**
 * True for an address of a carrier. It trusts this server, so that a call to it by URI would pass every
 * rule for numbers, and cost nothing. Its port does not matter, but on loopback, where each program
 * has one.
 */
async function isCarriers(
  { address, port }: Pick<CarrierServer, 'address' | 'port'>,
  { carriers, carrierServers }: RouteDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await Promise.all(
    (await carriers.list()).map((carrier) => carrierServers.find(carrier, signal)),
  )
  const isOne = (server: CarrierServer) =>
    isInRanges(address, [server.address]) && (server.port === port || !isLoopback(address))
  return found.flat().some(isOne)
}

/**
 * The contacts of one preference are called at once, those of the next one when nobody is there.
 * Contacts that do not answer OPTIONS are a group of their own.
 */
function contactRoutes(
  contacts: readonly ReachableContact[],
  uri: string,
  common: CommonRequest,
): readonly DialRoute[] {
  const to = uri.startsWith('client:') ? {} : { to: uri }
  const groups = new Map<string, DialRequest[]>()
  for (const contact of contacts) {
    const { codecs, contactUri, q, server, silentSince } = contact
    const group = silentSince === undefined ? `${q}` : `silent ${q}`
    const request = {
      ...common,
      ...to,
      uri: contactUri,
      proxy: nextHopOf(contact),
      server,
      codecs,
      isMediaSecure: contact.isMediaSecure || common.isMediaSecure === true,
    }
    groups.set(group, [...(groups.get(group) ?? []), request])
  }
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [routeOf([first, ...others])],
  )
}

/** True for a URI that asks for SRTP: `sips:`, or the parameter `secure=true`. */
function wantsSecureMedia(uri: string): boolean {
  return /^sips:/i.test(uri) || /;secure=true(?:[;?]|$)/i.test(uri)
}

function ownTarget({ to, plan }: CallRecord): Target {
  return plan.sipAuth === undefined ? { uri: to } : { uri: to, auth: plan.sipAuth }
}

function proxyOf(nextHop: string | undefined): Pick<DialRequest, 'proxy'> {
  return nextHop === undefined ? {} : { proxy: nextHop }
}

function routeOf(requests: DialRoute['requests']): DialRoute {
  return { requests, leadsOn: isUnserved }
}

function fromOf(call: CallRecord): DialRequest['from'] {
  const [, user, host] = /^sips?:(?:([^@]*)@)?([^;?]*)/.exec(call.from) ?? []
  if (host === undefined)
    return { user: numberFromSipUser(call.from) ?? call.from.replace(/^client:/, '') }
  return { user: user ?? 'anonymous', host }
}

function authOf(auth: SealedAuth | undefined, vault: Vault): Pick<DialRequest, 'auth'> {
  return auth === undefined ? {} : { auth: openAuth(auth, vault) }
}

function openAuth(auth: SealedAuth, vault: Vault): NonNullable<DialRequest['auth']> {
  return { username: auth.username, password: vault.open(auth.passwordSealed) }
}

/** Channel variables for dialplans. The specification promises them for CallReason. */
function variablesOf(call: CallRecord): Readonly<Record<string, string>> {
  const { callReason } = call.plan
  return { call_sid: call.sid, ...(callReason === undefined ? {} : { call_reason: callReason }) }
}
