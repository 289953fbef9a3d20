/**
 * The destination of a call to a held number: the number's forward, else its route, which is a system route
 * or a gateway of the account.
 */
import type { Account } from '../../../accounts/accounts.js'
import { GatewayNotFoundError } from '../../../numbers/gateway-errors.js'
import { type GatewayHost, hostPort, readGatewayHosts } from '../../../numbers/gateway-hosts.js'
import type { Gateways } from '../../../numbers/gateways.js'
import type { NumberSettings } from '../../../numbers/number-settings.js'
import { FIRST_GATEWAY_ID, SYSTEM_ROUTES } from '../../../numbers/system-routes.js'
import { type Answering, answeringOf } from '../../applications/answering.js'
import type { CalledNumber, NumberBindings } from '../../applications/number-bindings.js'
import type { CarrierClaims } from '../../carriers/carrier-claims.js'
import type { BridgeParty, BridgeTarget } from '../../model/call-plan.js'
import type { Bindings } from '../../registrar/bindings.js'
import { gatewayKey } from '../../routing/dial-route.js'

export type NumberDestination =
  | { readonly type: 'application'; readonly answering: Answering }
  | ({ readonly type: 'party' } & Pick<BridgeParty, 'to' | 'forwardedBy'>)
  | {
      readonly type: 'refused'
      readonly status: number
      readonly reason: string
      /** The cause, for the log. */
      readonly why: string
    }

export interface NumberDestinationDeps {
  readonly numbers: Pick<NumberBindings, 'called'>
  /** Resolves with the settings of a held number in the numbering API, by its sid. */
  readonly numberSettings: (numberSid: string) => Promise<NumberSettings>
  readonly gateways: Pick<Gateways, 'fetch'>
  readonly bindings: Pick<Bindings, 'newestOf'>
  readonly carrierClaims: Pick<CarrierClaims, 'callsThrough'>
}

/** Maximum number of forwards in a chain of numbers of one account. */
const MAX_FORWARDS = 5

export async function destinationOf(
  called: CalledNumber,
  account: Account,
  deps: NumberDestinationDeps,
  forwardedBy: readonly string[] = [],
): Promise<NumberDestination> {
  const settings = await deps.numberSettings(called.number.sid)
  const { forwardTo } = settings
  if (forwardTo === undefined) {
    const found = await destinationOfRoute(called, account, settings, deps)
    return found.type === 'party' && forwardedBy.length > 0 ? { ...found, forwardedBy } : found
  }
  const forwarders = [...forwardedBy, called.number.e164]
  const next = await deps.numbers.called(forwardTo)
  // A number of another account is called like any external number.
  if (next?.number.accountSid !== account.sid)
    return { type: 'party', to: { type: 'number', e164: forwardTo }, forwardedBy: forwarders }
  if (forwarders.length > MAX_FORWARDS)
    return refused(482, 'Loop Detected', 'the numbers of the account forward to each other')
  return await destinationOf(next, account, deps, forwarders)
}

async function destinationOfRoute(
  called: CalledNumber,
  account: Account,
  settings: NumberSettings,
  deps: NumberDestinationDeps,
): Promise<NumberDestination> {
  switch (settings.route) {
    case SYSTEM_ROUTES.USER:
      return await userOf(account, settings, deps)
    case SYSTEM_ROUTES.VOICE_BRIDGE:
    case SYSTEM_ROUTES.RTC_BRIDGE:
      return (
        applicationOf(called, account) ??
        unavailable('the number has no voice URL, and neither has its account')
      )
    // T.30 fax is audio, so any application or user can answer it.
    case SYSTEM_ROUTES.T30:
    case SYSTEM_ROUTES.DID:
      return applicationOf(called, account) ?? (await userOf(account, settings, deps))
    case SYSTEM_ROUTES.T38:
      return refused(488, 'Not Acceptable Here', 'fax over T.38 is not carried: use the route T30')
    case SYSTEM_ROUTES.SDN:
      return unavailable('the route SDN has no destination')
    default:
      return await gatewayOf(called, settings, deps)
  }
}

function applicationOf(called: CalledNumber, account: Account): NumberDestination | undefined {
  const answering = answeringOf(called, account.settings.voice)
  return answering && { type: 'application', answering }
}

/** Returns the registered user that the number names, or the account's most recently registered user. */
async function userOf(
  { sid }: Account,
  { user }: NumberSettings,
  { bindings }: NumberDestinationDeps,
): Promise<NumberDestination> {
  const username = user ?? (await bindings.newestOf(sid))?.username
  if (username === undefined) return unavailable('no user of the account is registered')
  return { type: 'party', to: { type: 'sip', targets: [{ uri: `client:${username}` }] } }
}

async function gatewayOf(
  { number }: CalledNumber,
  { route, translation }: NumberSettings,
  { carrierClaims, gateways }: NumberDestinationDeps,
): Promise<NumberDestination> {
  const gateway = route < FIRST_GATEWAY_ID ? undefined : await found(gateways, number, route)
  if (gateway === undefined) return unavailable(`there is no route ${String(route)}`)
  const { id, limit, prefix, forwardedCaller } = gateway
  if ((await carrierClaims.callsThrough(gatewayKey(id))) >= limit)
    return refused(486, 'Busy Here', `gateway ${String(id)} has its ${String(limit)} calls`)
  const hosts = readGatewayHosts(gateway.gateway)
  if (typeof hosts === 'string') return unavailable(hosts)
  const user = `${prefix}${encodeURIComponent(translation ?? number.e164.slice(1))}`
  const target = (host: GatewayHost): BridgeTarget => ({
    uri: `sip:${user}@${hostPort(host)}`,
    gateway: { id, limit, forwardedCaller },
  })
  const [first, ...others] = hosts
  if (first === undefined) return unavailable(`gateway ${String(id)} has no host`)
  return {
    type: 'party',
    to: { type: 'sip', targets: [target(first), ...others.map(target)] },
  }
}

async function found(
  gateways: Pick<Gateways, 'fetch'>,
  { accountSid }: CalledNumber['number'],
  id: number,
) {
  try {
    return await gateways.fetch(accountSid, id)
  } catch (error) {
    if (error instanceof GatewayNotFoundError) return undefined
    throw error
  }
}

function unavailable(why: string): NumberDestination {
  return refused(480, 'Temporarily Unavailable', why)
}

function refused(status: number, reason: string, why: string): NumberDestination {
  return { type: 'refused', status, reason, why }
}
