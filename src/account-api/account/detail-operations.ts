import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { type AccountBilling, dollars } from '../account-billing.js'
import { legacy } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { flag, isoTime, shownNumber, shownText, shownUsername } from '../fields.js'

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

export function detailOperations(billing: AccountBilling): AccountOperation[] {
  return [
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
  ]
}

export function legacyDetailOperations(billing: AccountBilling): AccountOperation[] {
  return [
    legacy({
      id: 'legacyAccountInfo',
      summary: 'Get the account',
      path: '/account/info/',
      addressLimit: 'account',
      idempotency: 'none',
      keys: { account: z.array(info).openapi({ description: 'The one account.' }) },
      run: async ({ caller: account }) => ({ account: [await infoOf(account, billing)] }),
    }),
  ]
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
