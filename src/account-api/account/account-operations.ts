/** The account itself: API key, details and newest SIP registration. */
import { z } from '@hono/zod-openapi'
import type { AccountGate } from '../../accounts/account-gate.js'
import type { Account } from '../../accounts/accounts.js'
import type { Logins } from '../../accounts/logins.js'
import type { Bindings } from '../../voice/registrar/bindings.js'
import { type AccountBilling, dollars } from '../account-billing.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy, legacyOver } from '../dialect/legacy-operation.js'
import { rest, type Styles } from '../dialect/rest-operation.js'
import { flag, isoTime, password, shownNumber, shownText, shownUsername } from '../fields.js'

const apikey = z.string().openapi({ description: 'The key of the account: 32 hex characters.' })

const services = z
  .object({
    sms: flag('True when it may send and receive SMS.'),
    rcid: flag('Kept for the administrator, without effect.'),
    mms: flag('True when it may send and receive MMS.'),
    bypassMedia: flag('Kept for the administrator, without effect.'),
    e911: flag('True when it may store emergency addresses.'),
    intl: flag('True when it may call other countries.'),
    cnam: flag('Kept for the administrator, without effect: each number has its own.'),
    dialer: flag('Kept for the administrator, without effect.'),
  })
  .openapi({ description: 'The services that the account has.' })

const rates = z
  .object({
    fax: shownNumber('The rate of a fax page.'),
    sms: shownNumber('The rate of a segment of SMS.'),
    mms: shownNumber('The rate of an MMS.'),
    tfAdj: shownNumber('What is added to the rate of a toll-free minute.'),
    lrn: shownNumber('The rate of a look-up of a routing number.'),
    nibble: shownNumber('The rate of a minute of a call.'),
    did: shownNumber('The rate of a number in a month.'),
    cnam: shownNumber("The rate of a look-up of a caller's name."),
    intlMax: shownNumber('The highest rate of a minute that calls abroad may have.'),
  })
  .openapi({ description: 'What the account pays, in dollars.' })

const details = z
  .object({
    username: shownUsername,
    name: shownText('The name for people.'),
    email: shownText('The address of mail; empty when there is none.'),
    timezone: shownText('The IANA time zone. Without effect: times are in UTC.'),
    callerId: shownText(
      'The number that outgoing calls show by default; empty when there is none.',
    ),
    created: shownText('When the account was made (ISO 8601).'),
    enabled: flag('True while the account may be used.'),
    notify: flag('True when a low balance is notified.'),
    ccs: shownNumber('The calls that may be under way at once; 0: as many as the server takes.'),
    notifyThreshold: shownNumber('The balance in dollars below which a notification is sent.'),
    authType: z
      .number()
      .int()
      .min(0)
      .max(3)
      .openapi({ description: 'The authentication of SIP: see /v2.2/auth.' }),
    cash: shownNumber('The balance, in dollars.'),
    services,
    rates,
  })
  .openapi('AccountDetails')

const info = z
  .object({
    name: shownText('The name for people.'),
    rate: shownNumber('The rate of a minute of a call, in dollars.'),
    enabled: flag('True while the account may be used.'),
    notify_threshold: shownNumber('The balance in dollars below which a notification is sent.'),
    username: shownUsername,
    caller_id: shownText('The number that outgoing calls show by default; empty: none.'),
    notify: flag('True when a low balance is notified.'),
    email: shownText('The address of mail; empty when there is none.'),
    created: shownText('When the account was made (ISO 8601).'),
    cash: shownNumber('The balance, in dollars.'),
  })
  .openapi('LegacyAccount')

export interface AccountDeps {
  readonly logins: Logins
  readonly accountGate: AccountGate
  readonly billing: AccountBilling
  readonly bindings: Pick<Bindings, 'newestOf'>
}

export function accountOperations(deps: AccountDeps): Styles {
  const { billing } = deps
  const operations = [
    keyOperation(deps),
    rest({
      id: 'getAccountDetails',
      summary: 'Get the account',
      method: 'get',
      path: '/account',
      row: 'Account details',
      addressLimit: 'account',
      data: details,
      run: async ({ caller: account }) => ({
        ...profileToWire(account),
        cash: dollars(await billing.balanceOf(account.sid)),
        rates: await billing.ratesOf(account.sid),
      }),
    }),
    registrationOperation(deps),
  ]
  return {
    rest: operations,
    legacy: [
      legacy({
        id: 'legacyAccountInfo',
        summary: 'Get the account',
        path: '/account/info/',
        addressLimit: 'account',
        idempotency: 'none',
        keys: { account: z.array(info).openapi({ description: 'The one account.' }) },
        run: async ({ caller: account }) => ({ account: [await infoOf(account, billing)] }),
      }),
      ...legacyOver(
        operations,
        {
          id: 'legacyGetApiKey',
          does: 'getApiKey',
          path: '/account/apikey/',
          row: 'Get API key (legacy)',
        },
        {
          id: 'legacyGetRegistration',
          does: 'getRegistration',
          path: '/account/registration/',
        },
      ),
    ],
  }
}

/** Wrong credentials count towards the failure limit that all APIs share. */
function keyOperation({ logins, accountGate }: AccountDeps) {
  return rest({
    id: 'getApiKey',
    summary: 'Get the API key of an account by its username and password',
    method: 'post',
    path: '/account/api-key',
    aliases: ['/account/apikey'],
    row: 'Get API key',
    isOpen: true,
    addressLimit: 'api-key',
    // The request changes nothing, so it takes no `Idempotency-Key`.
    idempotency: 'none',
    body: z.strictObject({ username: shownUsername.min(1).max(64), password }),
    data: z.object({ apikey }),
    errors: [401, 403],
    run: async ({ body, http }) => {
      const named = await logins.authenticate(body.username, body.password)
      return { apikey: accountGate.admit(http, named).secret }
    },
  })
}

function registrationOperation({ bindings }: AccountDeps) {
  return rest({
    id: 'getRegistration',
    summary: 'Get the newest SIP registration of the account',
    method: 'get',
    path: '/account/registration',
    addressLimit: 'registration',
    data: z.object({
      agent: shownText('What the softphone calls itself; empty when it does not say.'),
      uri: shownText('The SIP address at which it is reached.'),
    }),
    errors: [404],
    run: async ({ caller }) => {
      const binding = await bindings.newestOf(caller.sid)
      if (binding === undefined) throw new ApiFailure(404, 'Nothing is registered')
      return { agent: binding.userAgent ?? '', uri: binding.contactUri }
    },
  })
}

function profileToWire({ friendlyName, profile, settings, status, createdAt }: Account) {
  return {
    username: profile.username,
    name: friendlyName,
    email: profile.email ?? '',
    timezone: profile.timezone,
    callerId: profile.callerId ?? '',
    created: isoTime(createdAt),
    enabled: status === 'active',
    notify: profile.notify,
    ccs: settings.concurrentCalls ?? 0,
    notifyThreshold: profile.notifyThreshold,
    authType: profile.authType,
    services: { ...profile.services },
  }
}

async function infoOf(account: Account, billing: AccountBilling) {
  const shown = profileToWire(account)
  const { nibble } = await billing.ratesOf(account.sid)
  return {
    name: shown.name,
    rate: nibble,
    enabled: shown.enabled,
    notify_threshold: shown.notifyThreshold,
    username: shown.username,
    caller_id: shown.callerId,
    notify: shown.notify,
    email: shown.email,
    created: shown.created,
    cash: dollars(await billing.balanceOf(account.sid)),
  }
}
