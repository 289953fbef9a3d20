import { type AccountApiDeps, createAccountApi } from '../account-api/account-api.js'
import { startAddressLimitRetention } from '../account-api/address-limit.js'
import { accountMailChannel } from '../accounts/account-mails.js'
import { createLogins } from '../accounts/logins.js'
import { createRecoveries, type Recoveries } from '../accounts/recoveries.js'
import { createSignUps, type SignUps } from '../accounts/sign-ups.js'
import type { Messages } from '../messages/messages.js'
import { createGatewayCheck } from '../numbers/gateway-places.js'
import type { DescribedApp } from '../platform/api/described-app.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Porting } from '../porting/porting.js'
import type { Registry } from '../registry/registry.js'
import { accountBilling } from './account-billing.js'
import { type Base, namedPlaces } from './base.js'
import { campaignsOf } from './campaigns.js'
import { wireEmergency } from './emergency.js'
import type { Billing } from './ledger.js'
import { wireLookups } from './lookups.js'
import { wireMail } from './mail.js'
import { wireNumbering } from './numbering.js'
import type { Voice } from './voice.js'

interface SignUpParts {
  readonly announceCampaigns: AccountApiDeps['announceCampaigns']
  readonly signUps: SignUps
  readonly recoveries: Recoveries
}

/** What the account API has in common with other APIs. */
export interface AccountApiParts {
  readonly outbox: Outbox
  readonly publicUrl: string
  readonly billing: Billing
  readonly registry: Pick<Registry, 'usStates' | 'isDisposableMail' | 'messaging' | 'numbers'>
  readonly porting: Porting
  readonly messages: Messages
}

/**
 * The mails about accounts, with what sends them. It opens a channel, so it is wired before the
 * outbox starts.
 */
function wireSignUps(
  base: Base,
  { outbox, publicUrl, registry }: Pick<AccountApiParts, 'outbox' | 'publicUrl' | 'registry'>,
): SignUpParts {
  const { accounts, clock, db, disposer, log, passwords, vault } = base
  const mailer = wireMail(base)
  const channel = accountMailChannel({ db, vault, clock, accounts, mailer, publicUrl })
  const mails = outbox.open(channel)
  const signUps = createSignUps({
    ...{ db, clock, log, accounts, mails },
    isDisposable: (address) => registry.isDisposableMail(address),
  })
  disposer.use(signUps.startRetention())
  const announceCampaigns = (accountSid: string, numbers: readonly string[]) =>
    mails.commit((_tx, enqueue) => enqueue([{ kind: 'campaigns-required', accountSid, numbers }]))
  return {
    announceCampaigns,
    signUps,
    recoveries: createRecoveries({ db, clock, accounts, passwords, mails }),
  }
}

/** The account API. It is mounted last: the APIs below `/v2` that came before it keep their paths. */
export function wireAccountApi(
  base: Base,
  { registration }: Voice,
  { outbox, publicUrl, billing, registry, porting, messages }: AccountApiParts,
): (app: DescribedApp) => void {
  const { accountGate, accounts, clock, config, db, disposer, log, passwords, vault } = base
  disposer.use(startAddressLimitRetention({ db, clock, log }))
  return createAccountApi({
    db,
    vault,
    clock,
    log,
    accounts,
    accountGate,
    passwords,
    logins: createLogins({ db, accounts, passwords }),
    lists: registration.accessLists,
    ...wireSignUps(base, { outbox, publicUrl, registry }),
    sipAuthentication: registration.sipAuthentication,
    gateways: base.gateways,
    checkGateway: createGatewayCheck({ ...base, policy: namedPlaces(base.policy) }),
    bindings: registration.bindings,
    billing: accountBilling(base, billing),
    numbering: wireNumbering(base, billing, registry),
    emergency: wireEmergency(base, registry),
    lookups: wireLookups(base, billing.ledger),
    porting,
    messages,
    campaigns: campaignsOf(registry),
    requestsPerHour: config.http.requestsPerHour,
  })
}
