/** The routes of a call to a number: the servers of the carriers that accept it, best first. */
import { isIP } from 'node:net'
import { PIDF_TYPE, pidfLo } from '../../emergency/pidf-lo.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { Carrier, CarrierSettings } from '../carriers/carrier.js'
import type { CarrierClaims } from '../carriers/carrier-claims.js'
import type { CarrierHealth } from '../carriers/carrier-health.js'
import {
  type CarrierServer,
  type CarrierServers,
  hostOf,
  serverKey,
} from '../carriers/carrier-servers.js'
import type { Carriers } from '../carriers/carriers.js'
import { calledNumberFor, numberFor } from '../carriers/number-format.js'
import { orderEmergencyRoutes, orderRoutes } from '../carriers/order-routes.js'
import { shownCaller, sipNumber } from '../carriers/shown-caller.js'
import type { EmergencyPlan } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import { nextHopTo } from '../sip-location/next-hop.js'
import { readIdentities } from '../stir/identity-header.js'
import type { Attestation } from '../stir/passport.js'
import { type SigningIdentity, signCaller, signDiversion } from '../stir/sign-caller.js'
import type { DialAuth, DialRequest, LegEnd } from '../telephony/port.js'
import type { HoldsCallerId } from './caller-id-policy.js'
import type { CommonRequest, DialRoute, Warn } from './dial-route.js'
import { forwardingHeaders, shownForwarded } from './forwarded-request.js'

export interface CarrierRouteDeps {
  readonly carriers: Pick<Carriers, 'list'>
  readonly carrierServers: CarrierServers
  readonly carrierHealth: CarrierHealth
  readonly carrierClaims: CarrierClaims
  readonly holdsCallerId: HoldsCallerId
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

/** One server of one carrier, for one call. */
interface Attempt {
  readonly carrier: Carrier
  readonly server: CarrierServer
  readonly hasMore: boolean
}

/** Maximum number of carriers tried for one call. */
const MAX_CARRIERS = 4
/** Maximum number of servers of one carrier tried for one call. */
const MAX_SERVERS = 3
/** Warning: the carrier accepts no more calls now. */
const CARRIER_FULL = 32001
/** Warning: no carrier accepts emergency calls. */
const NO_EMERGENCY_CARRIER = 32001
/** Warning: no carrier accepts such a number, or its host cannot be resolved. */
const NO_CARRIER = 32012

/** The host of Content-IDs; it is never resolved (RFC 2392, RFC 2606). */
const CONTENT_ID_HOST = 'location.invalid'

/**
 * Refusals below 500 that concern the route and not the called party, so another carrier may succeed.
 * docs/sip-trunks.md shows the table.
 */
export const WAY_REFUSALS: ReadonlySet<number> = new Set([
  401, 402, 403, 405, 406, 407, 408, 415, 416, 420, 421, 422, 423, 430, 439, 440, 488, 493, 494,
  606,
])

/** Yields routes until the caller stops asking, or the signal aborts. */
export async function* carrierRoutes(
  call: CallRecord,
  common: CommonRequest,
  ownAuth: DialAuth | undefined,
  deps: CarrierRouteDeps,
  warn: Warn,
  signal: AbortSignal,
): AsyncGenerator<DialRoute, void> {
  const { carrierClaims, carrierHealth } = deps
  const ordered = await carriersFor(call, deps, warn)
  for (const [index, carrier] of ordered.entries()) {
    const servers = await usableServers(carrier, deps, signal)
    if (signal.aborted) return
    if (servers.length === 0) {
      warn(NO_CARRIER, `the host of carrier ${carrier.name} has no address`)
      continue
    }
    const verdict = isEmergency(call) ? 'granted' : await carrierClaims.claim(carrier, call.sid)
    if (verdict !== 'granted') {
      warn(CARRIER_FULL, `carrier ${carrier.name} takes no more calls now: ${verdict}`)
      continue
    }
    const { forwarded = 'caller' } = carrier.settings.callerId
    const shown = shownForwarded(call, common, forwarded)
    const signed = await signedCaller(carrier, shown.call, shown.common, deps)
    for (const [at, server] of servers.entries()) {
      const hasMore = at + 1 < servers.length || index + 1 < ordered.length
      const request = requestTo({ carrier, server, hasMore }, shown.call, signed, ownAuth)
      const onOver = (end: LegEnd | undefined): void => {
        judge(server, end, carrierHealth)
        if (end === undefined || !leadsToNextCarrier(end)) releaseLater(carrier, call, deps)
      }
      const via = { carrier: carrier.name }
      yield { requests: [request], leadsOn: leadsToNextCarrier, onOver, via }
    }
    if (carrier.settings.maxCalls !== undefined) await carrierClaims.release(call.sid)
  }
}

/** True when the next carrier can be tried: this one did not reach the called party. */
export function leadsToNextCarrier(end: LegEnd): boolean {
  return isUnserved(end) || (end.cause === 'rejected' && WAY_REFUSALS.has(end.sipStatus))
}

/** True when the next contact or host of a SIP URI can be tried: nobody was reached. */
export function isUnserved(end: LegEnd): boolean {
  return (
    end.cause === 'unreachable' ||
    (end.cause === 'rejected' && end.sipStatus >= 500 && end.sipStatus < 600)
  )
}

/** No carrier limit and no prefix applies to an emergency call. */
const isEmergency = ({ plan }: CallRecord): boolean => plan.emergency !== undefined

async function carriersFor(
  call: CallRecord,
  deps: CarrierRouteDeps,
  warn: Warn,
): Promise<readonly Carrier[]> {
  const { carriers, log, random } = deps
  const all = await carriers.list()
  const up = (carrier: Carrier) => isUp(carrier, deps)
  if (!isEmergency(call)) {
    const ordered = orderRoutes(all, call.to, random(), up)
    if (ordered.length === 0) warn(NO_CARRIER, noCarrierText(all.length))
    return ordered.slice(0, MAX_CARRIERS)
  }
  const marked = orderEmergencyRoutes(all, random(), up)
  if (marked.length === 0) {
    log.error({ callSid: call.sid }, 'no carrier is marked for emergency calls')
    warn(NO_EMERGENCY_CARRIER, 'no carrier is marked for emergency calls')
  }
  return marked
}

function noCarrierText(count: number): string {
  return count === 0 ? 'this server has no carrier' : 'no carrier has a prefix of this number'
}

/** True while at least one server of the carrier is up, or none is known yet. */
function isUp(carrier: Carrier, { carrierHealth, carrierServers }: CarrierRouteDeps): boolean {
  const known = carrierServers.known(carrier)
  return known.length === 0 || known.some((server) => carrierHealth.isUp(serverKey(server)))
}

/** Returns the servers of a carrier, those that are up first. */
async function usableServers(
  carrier: Carrier,
  { carrierHealth, carrierServers }: CarrierRouteDeps,
  signal: AbortSignal,
): Promise<readonly CarrierServer[]> {
  const servers = await carrierServers.find(carrier, signal)
  const up = servers.filter((server) => carrierHealth.isUp(serverKey(server)))
  const down = servers.filter((server) => !up.includes(server))
  return [...up, ...down].slice(0, MAX_SERVERS)
}

/** Returns the request with an Identity header, if the carrier's settings have a certificate. */
async function signedCaller(
  { settings: { identity } }: Carrier,
  call: CallRecord,
  common: CommonRequest,
  { clock, holdsCallerId }: CarrierRouteDeps,
): Promise<CommonRequest> {
  if (identity === undefined) return common
  const received = common.headers?.['Identity']
  // A forwarded call's caller was signed by its origin.
  if (received !== undefined) return diverted(identity, received, call, common, clock.now())
  const attest = attestationOf(call, await holdsCallerId(call.accountSid, call.from))
  const claimed = { from: call.from, to: call.to, attest, atMs: clock.now() }
  const value = signCaller(identity, claimed)
  return value === undefined
    ? common
    : { ...common, headers: { ...common.headers, Identity: value } }
}

/** Returns the request with one more Identity, which names the forwarder (RFC 8946). */
function diverted(
  identity: SigningIdentity,
  received: string | readonly string[],
  { from, to, plan: { forwardedBy = [] } }: CallRecord,
  common: CommonRequest,
  atMs: number,
): CommonRequest {
  const [divertedFrom] = forwardedBy
  if (divertedFrom === undefined || typeof received !== 'string') return common
  const value = signDiversion(identity, { from, to, divertedFrom, atMs })
  if (value === undefined) return common
  const values = [...readIdentities(received).map(({ text }) => text), value]
  return { ...common, headers: { ...common.headers, Identity: values } }
}

/**
 * Returns the attestation of ATIS-1000074 §5.2.3: A for a number of the account, B for another number that
 * the account shows, C for an outside caller whose call a Dial forwards.
 */
function attestationOf({ parentCallSid }: CallRecord, isHeld: boolean): Attestation {
  if (isHeld) return 'A'
  return parentCallSid === undefined ? 'B' : 'C'
}

function requestTo(
  { carrier, server, hasMore }: Attempt,
  call: CallRecord,
  common: CommonRequest,
  ownAuth: DialAuth | undefined,
): DialRequest {
  const { auth: credentials, settings } = carrier
  const caller = shownCaller(common.from, carrier)
  const { emergency } = call.plan
  const number = emergency?.number ?? calledNumberFor(call.to, settings.numbers)
  const auth = ownAuth ?? (credentials && { ...credentials, realm: settings.realm })
  const isNamed = isIP(carrier.host) === 0
  const forwarding = forwardingHeaders(call, (e164) =>
    sipNumber(numberFor(e164, settings.numbers), settings.callerId.fromHost ?? carrier.host),
  )
  const request = {
    ...common,
    uri: `sip:${number}@${hostOf({ host: carrier.host, port: isNamed ? carrier.port : server.port })};transport=${server.transport}`,
    from: caller.from,
    headers: { ...headersBeside(settings, forwarding), ...caller.headers, ...common.headers },
    codecs: settings.codecs,
    isMediaSecure: settings.isMediaSecure,
    ...(isNamed ? { proxy: nextHopTo(server) } : {}),
    ...(auth === undefined ? {} : { auth }),
    ...(hasMore ? { progressTimeoutMs: settings.progressSeconds * 1_000 } : {}),
  }
  return emergency === undefined ? request : emergencyRequest(request, call, emergency, settings)
}

/** Adds the caller's location and the emergency marks to a carrier's request (RFC 6442). */
function emergencyRequest(
  request: DialRequest,
  { sid, createdAt }: Pick<CallRecord, 'sid' | 'createdAt'>,
  { number, callbackNumber, callerName, location }: EmergencyPlan,
  { emergencyTo }: Pick<CarrierSettings, 'emergencyTo'>,
): DialRequest {
  const contentId = `${sid}@${CONTENT_ID_HOST}`
  const located = { number: callbackNumber, id: sid, callerName, location, at: createdAt }
  const isReal = number === '911'
  return {
    ...request,
    from: { ...request.from, displayName: callerName },
    headers: {
      ...request.headers,
      // RFC 6442 §4.1, §4.2: the location is in the body, and may be used for routing.
      Geolocation: `<cid:${contentId}>`,
      'Geolocation-Routing': 'yes',
      // RFC 3261 §20.26. A call to the test line is not an emergency.
      ...(isReal ? { Priority: 'emergency' } : {}),
    },
    ...(isReal && emergencyTo === 'service' ? { to: 'urn:service:sos' } : {}),
    parts: [{ contentType: PIDF_TYPE, contentId, content: pidfLo(located) }],
  }
}

/**
 * Returns the carrier's own headers plus those of a forwarded call, whose Diversion replaces a configured
 * one.
 */
function headersBeside(
  { headers }: Carrier['settings'],
  forwarding: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (forwarding['Diversion'] === undefined) return headers
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'diversion')
  return { ...Object.fromEntries(others), ...forwarding }
}

/** Updates the health of the server from the end of a leg. */
function judge(server: CarrierServer, end: LegEnd | undefined, health: CarrierHealth): void {
  const key = serverKey(server)
  switch (end?.cause) {
    case undefined:
    case 'canceled':
    case 'media-lost':
    case 'signaling-lost':
      return
    case 'unreachable':
      // Nothing was sent because of our own settings, so the server's health is unknown.
      if (end.obstacle === 'clear-keys') return
      health.failed(key, `no answer to an INVITE (${String(end.sipStatus)})`)
      return
    case 'rejected':
      if (end.sipStatus === 503 && end.retryAfterSeconds !== undefined)
        health.askedForPause(key, end.retryAfterSeconds)
      else health.answered(key)
      health.setRefusal(key, leadsToNextCarrier(end) ? end.sipStatus : undefined)
      return
    default:
      health.answered(key)
      health.setRefusal(key, undefined)
  }
}

/** Releases the slot of a call that will try no other server. */
function releaseLater({ name, settings }: Carrier, call: CallRecord, deps: CarrierRouteDeps): void {
  if (settings.maxCalls === undefined) return
  deps.carrierClaims.release(call.sid).catch((err: unknown) => {
    // The end of the call frees the slot anyway.
    deps.log.warn(
      { err, carrier: name, callSid: call.sid },
      'could not release a slot of a carrier',
    )
  })
}
