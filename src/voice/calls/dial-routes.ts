import type { Vault } from '../../platform/secrets.js'
import type { DialRequest, LegEnd } from '../media/port.js'
import { numberFromSipUser } from '../sip/address.js'
import type { Carriers } from '../sip/carriers.js'
import type { SealedAuth } from './call-plan.js'
import type { CallRecord } from './call-record.js'

/** Carriers tried for one call before it fails. */
const MAX_ROUTES = 4

export interface RouteDeps {
  readonly carriers: Carriers
  readonly vault: Vault
  readonly random: () => number
}

/** Where an outbound call goes, best first: its own host for a SIP URI, the carriers for a number. */
export async function dialRoutes(
  call: CallRecord,
  deps: RouteDeps,
): Promise<readonly DialRequest[]> {
  const common = {
    from: fromOf(call),
    timeoutMs: call.plan.timeoutSeconds * 1_000,
    variables: variablesOf(call),
    ...(call.plan.sipHeaders === undefined ? {} : { headers: call.plan.sipHeaders }),
  }
  const { sipTargets } = call.plan
  if (sipTargets !== undefined) {
    return sipTargets.map(({ uri, auth }) => ({
      uri,
      ...common,
      ...(auth === undefined ? {} : { auth: openAuth(auth, deps.vault) }),
    }))
  }
  const ownAuth = authOf(call, deps.vault)
  if (!call.to.startsWith('+')) {
    return [{ uri: call.to, ...common, ...(ownAuth === undefined ? {} : { auth: ownAuth }) }]
  }
  const carriers = await deps.carriers.routesFor(call.to, deps.random())
  return carriers.slice(0, MAX_ROUTES).map((carrier) => {
    const auth = ownAuth ?? carrier.auth
    return {
      uri: `sip:${call.to}@${hostPort(carrier.host, carrier.port)};transport=${carrier.transport}`,
      ...common,
      ...(auth === undefined ? {} : { auth }),
    }
  })
}

/** The next carrier is tried only while nobody has been reached: never after ringing or a refusal. */
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

function authOf(call: CallRecord, vault: Vault): DialRequest['auth'] {
  const { sipAuth } = call.plan
  return sipAuth === undefined ? undefined : openAuth(sipAuth, vault)
}

function openAuth(auth: SealedAuth, vault: Vault): NonNullable<DialRequest['auth']> {
  return { username: auth.username, password: vault.open(auth.passwordSealed) }
}

/** For dialplans, as the specification promises of CallReason. */
function variablesOf(call: CallRecord): Readonly<Record<string, string>> {
  const { callReason } = call.plan
  return { call_sid: call.sid, ...(callReason === undefined ? {} : { call_reason: callReason }) }
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
