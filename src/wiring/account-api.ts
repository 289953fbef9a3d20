import { type AccountApiDeps, createAccountApi } from '../account-api/account-api.js'
import type { AccountBilling } from '../account-api/account-billing.js'
import { startAddressLimitRetention } from '../account-api/address-limit.js'
import { accountMailChannel } from '../accounts/account-mails.js'
import { billedAccount } from '../accounts/billed-account.js'
import { createLogins } from '../accounts/logins.js'
import { createRecoveries, type Recoveries } from '../accounts/recoveries.js'
import { createSignUps, type SignUps } from '../accounts/sign-ups.js'
import { createLocalProvider } from '../emergency/emergency-provider.js'
import { createEmergencyService, type EmergencyService } from '../emergency/emergency-service.js'
import { createHttpProvider } from '../emergency/http-provider.js'
import { ProvisionSweep } from '../emergency/provision-sweep.js'
import { balanceOf } from '../ledger/ledger.js'
import { recurringChargesOf } from '../ledger/recurring-charges.js'
import type { Messages } from '../messages/messages.js'
import { createGatewayCheck } from '../numbers/gateway-places.js'
import type { DescribedApp } from '../platform/api/described-app.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Porting } from '../porting/porting.js'
import {
  changeAccountRates,
  microsOfRates,
  paidRatesOf,
  ratesInDollars,
} from '../rating/account-rates.js'
import { listCdrs, viewOfCdr } from '../rating/cdrs.js'
import type { Registry } from '../registry/registry.js'
import { type Base, namedPlaces } from './base.js'
import { campaignsOf } from './campaigns.js'
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

/** Dependencies that the account API shares with other APIs. */
export interface AccountApiParts {
  readonly outbox: Outbox
  readonly publicUrl: string
  readonly billing: Billing
  readonly registry: Pick<Registry, 'usStates' | 'isDisposableMail' | 'messaging' | 'numbers'>
  readonly porting: Porting
  readonly messages: Messages
}

const SECOND_MS = 1_000

/** Wires sign-ups, recoveries and their mails. Must run before the outbox starts, since it opens a channel. */
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

/** Wires the account API. Mount it last: other APIs below `/v2` have precedence. */
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

/** Adapts the ledger and the rates to the account API. */
export function accountBilling(
  { clock, db, rateBook }: Pick<Base, 'clock' | 'db' | 'rateBook'>,
  { credits, payments }: Pick<Billing, 'credits' | 'payments'>,
): AccountBilling {
  return {
    balanceOf: async (sid) => (await balanceOf(db.read, await billedAccount(db.read, sid))).amount,
    ratesOf: async (sid) =>
      ratesInDollars(await paidRatesOf(db.read, sid, await billedAccount(db.read, sid))),
    changeRates: async (sid, change) => {
      const now = clock.now()
      await db.write((tx) => changeAccountRates(tx, sid, microsOfRates(change), now))
      rateBook.changed()
    },
    recurringChargesOf: (sid) => recurringChargesOf(db.read, sid),
    cdrsOf: async ({ sid, profile }, { older, newer }, page) => {
      const bounds = [older * SECOND_MS, newer * SECOND_MS + SECOND_MS - 1] as const
      const { items, nextAfter } = await listCdrs(db.read, sid, bounds, page)
      return { items: items.map((cdr) => viewOfCdr(cdr, profile.username)), nextAfter }
    },
    creditsOf: (sid, isPaid, page) => credits.list(sid, { isPaid }, page),
    paymentsOf: (sid, page) => payments.list(sid, page),
  }
}

/** Wires emergency addresses: the provider, the service for accounts, and the removal of unneeded records. */
function wireEmergency(
  { clock, config, db, disposer, log, outbound }: Base,
  { usStates }: Pick<Registry, 'usStates'>,
): EmergencyService {
  const { emergencyProvider: settings } = config
  const provider =
    settings === undefined ? createLocalProvider(usStates) : createHttpProvider(outbound, settings)
  const sweep = disposer.use(new ProvisionSweep({ db, clock, log, provider }))
  sweep.start().catch((err: unknown) => {
    log.error({ err }, 'could not resume the removal of emergency records')
  })
  return createEmergencyService({ db, clock, provider })
}
