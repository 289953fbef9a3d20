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
  type WriteNumber,
  withForwardingHeaders,
} from './forwarded-request.js'

/**
 * Warning: a SIP URI's host does not resolve, or its address may not be called because it is private or a
 * carrier's.
 */
const HOST_UNREACHABLE = 13254
/** Warning: the user of a SIP domain is not registered. */
const NOT_REGISTERED = 32009

/** Warning: the gateway accepts no more calls now. */
const GATEWAY_FULL = 32001
/** Maximum time for a gateway's host to send an 18x response, ms, when there is another host. */
const GATEWAY_PROGRESS_MS = 6_000

export interface RouteDeps extends CarrierRouteDeps, LoopbackRouteDeps {
  readonly vault: Vault
  readonly sipHosts: SipHosts
  readonly contacts: Pick<RegisteredContacts, 'find'>
  /** Resolves with the caller name for the account's calls from this number; undefined when none is set. */
  readonly shownName: (accountSid: string, e164: string) => Promise<string | undefined>
}

interface LoopbackRouteDeps {
  readonly numbers: Pick<NumberBindings, 'called'>
}

/**
 * Yields the routes of an outbound call, best first: the contacts of a registered user, the host of a SIP
 * URI, or for a number its account on this server, else the carriers. Stops once the signal aborts.
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
    const request = withForwardingHeaders(around, call, writtenFor(target))
    const routes = await targetRoutes(call, target, request, deps, warn, signal)
    if (signal.aborted) return
    yield* routes.map((route) => viaGateway(route, gateway))
  }
  if (targets.length === 0) yield* numberRoutes(call, common, deps, warn, signal)
}

/** Yields the routes to a number: to its holder on this server, else to the carriers. */
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

/**
 * Resolves with the route to a number of this server; undefined for any other number, and for an emergency
 * call.
 */
async function loopbackRoute(
  call: CallRecord,
  common: CommonRequest,
  { numbers }: LoopbackRouteDeps,
): Promise<DialRoute | undefined> {
  const { to, plan } = call
  if (plan.emergency !== undefined || (await numbers.called(to)) === undefined) return undefined
  const request = withForwardingHeaders(common, call, telephoneUri)
  const loopback = { hops: (plan.insideHops ?? 0) + 1 }
  return {
    requests: [{ ...request, uri: `sip:${to}@localhost`, loopback }],
    // Only this server has the number.
    leadsOn: () => false,
  }
}

/** True for a call to a number or an emergency number without SIP targets. */
export function isForCarriers({ to, plan }: Pick<CallRecord, 'to' | 'plan'>): boolean {
  return plan.sipTargets === undefined && (to.startsWith('+') || plan.emergency !== undefined)
}

function viaGateway(route: DialRoute, gateway: GatewaySlots | undefined): DialRoute {
  return gateway === undefined ? route : { ...route, via: { gateway: String(gateway.id) } }
}

/** Claims a slot of the gateway; the end of the call releases it. */
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

/**
 * Returns the request to a gateway: with the caller's name, and with a time limit when another of its hosts
 * can be tried.
 */
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

/**
 * Returns how numbers are written: for a gateway at its own host, for a registered user as telephone URIs.
 */
function writtenFor({ uri }: Target): WriteNumber {
  const [, host] = /^sips?:[^@]*@([^;?]+)/i.exec(uri) ?? []
  return host === undefined ? telephoneUri : (e164) => `sip:${e164}@${host}`
}

type Target = PlannedTarget

/** Resolves with the routes to a SIP URI or a registered user. Warns about a target that cannot be called. */
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
 * True for an address of a carrier. A carrier trusts this server, so a call to it by URI would bypass every
 * rule for numbers, and be free. The port is ignored, except on loopback, where different programs share the
 * address.
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
 * Returns routes that call all contacts of one preference at once, then those of the next when nobody
 * answers. Contacts that do not answer OPTIONS are separate groups.
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

/** True for a URI that requests SRTP: `sips:`, or the parameter `secure=true`. */
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

/** Returns channel variables for dialplans; the API documentation promises them for CallReason. */
function variablesOf(call: CallRecord): Readonly<Record<string, string>> {
  const { callReason } = call.plan
  return { call_sid: call.sid, ...(callReason === undefined ? {} : { call_reason: callReason }) }
}
