import type { Vault } from '../../platform/secrets.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import { numberFromSipUser } from '../model/address.js'
import type { CallPlan, SealedAuth } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import type { DialRequest, LegEnd } from '../telephony/port.js'
import type { Carriers } from './carriers.js'
import type { SipHosts } from './sip-hosts.js'

/** The most carriers that are tried for one call before it fails. */
const MAX_ROUTES = 4
/**
 * The warning that a SIP URI's host does not resolve, or resolves to an address that may not be
 * called.
 */
const HOST_UNREACHABLE = 13254

export interface RouteDeps {
  readonly carriers: Carriers
  readonly vault: Vault
  readonly random: () => number
  readonly sipHosts: SipHosts
}

/**
 * The routes of an outbound call, best first: the host of a SIP URI, or the carriers for a number.
 * Ends once the signal aborts.
 */
export async function* dialRoutes(
  call: CallRecord,
  deps: RouteDeps,
  warn: (code: ErrorNumber, message: string) => void,
  signal: AbortSignal,
): AsyncGenerator<DialRequest, void> {
  const common = {
    from: fromOf(call),
    timeoutMs: call.plan.timeoutSeconds * 1_000,
    variables: variablesOf(call),
    ...(call.plan.sipHeaders === undefined ? {} : { headers: call.plan.sipHeaders }),
  }
  const { sipAuth: ownAuth } = call.plan
  const targets = call.plan.sipTargets ?? (call.to.startsWith('+') ? [] : [ownTarget(call)])
  for (const { uri, auth } of targets) {
    const host = await deps.sipHosts.find(uri, signal)
    if (signal.aborted) return
    if (host.type === 'found')
      yield { uri, ...common, ...proxyOf(host.nextHop), ...authOf(auth, deps.vault) }
    else warn(HOST_UNREACHABLE, `the host of ${uri} is not known, or may not be called`)
  }
  if (targets.length > 0) return
  const carriers = await deps.carriers.routesFor(call.to, deps.random())
  for (const carrier of carriers.slice(0, MAX_ROUTES)) {
    const uri = `sip:${call.to}@${hostPort(carrier.host, carrier.port)};transport=${carrier.transport}`
    const auth = ownAuth === undefined ? carrier.auth : openAuth(ownAuth, deps.vault)
    yield { uri, ...common, ...(auth === undefined ? {} : { auth }) }
  }
}

function ownTarget({ to, plan }: CallRecord): NonNullable<CallPlan['sipTargets']>[number] {
  return plan.sipAuth === undefined ? { uri: to } : { uri: to, auth: plan.sipAuth }
}

function proxyOf(nextHop: string | undefined): Pick<DialRequest, 'proxy'> {
  return nextHop === undefined ? {} : { proxy: nextHop }
}

/**
 * True while the next carrier may be tried: nobody has been reached. False after ringing or a
 * refusal.
 */
export function isWorthAnotherRoute(end: LegEnd): boolean {
  return (
    end.cause === 'unreachable' ||
    (end.cause === 'rejected' && end.sipStatus >= 500 && end.sipStatus < 600)
  )
}

function fromOf(call: CallRecord): DialRequest['from'] {
  const [, user, host] = /^sips?:(?:([^@]*)@)?([^;?]*)/.exec(call.from) ?? []
  if (host === undefined) return { user: numberFromSipUser(call.from) ?? call.from }
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

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
