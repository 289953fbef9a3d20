import { z } from '@hono/zod-openapi'
import { type ProfileChange, SERVICES } from '../../accounts/account-profile.js'
import type { Account, AccountChange, Accounts } from '../../accounts/accounts.js'
import type { Database } from '../../platform/database/database.js'
import type { AccountBilling } from '../account-billing.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { rest, type Styles } from '../dialect/rest-operation.js'
import { callerId, flag, rateChange, shownText, timezone, username } from '../fields.js'

/** Fields that a customer may set; only an administrator may set the others. */
const CUSTOMER_FIELDS = ['timezone', 'notify', 'notifyThreshold', 'callerId', 'username']
const MAX_DOLLARS = 1_000_000
const MAX_CALLS = 1_000_000

const service = (what: string) => flag(`Administrators only: ${what}`).optional()

const settings = z.strictObject({
  username: username
    .optional()
    .openapi({ description: 'The account to change, for an administrator; by default its own.' }),
  timezone: timezone.optional(),
  notify: flag('True: a low balance is notified.').optional(),
  notifyThreshold: z
    .number()
    .int()
    .min(0)
    .max(MAX_DOLLARS)
    .optional()
    .openapi({ description: 'The balance in dollars below which a notification is sent.' }),
  callerId: callerId.optional(),
  ccs: z
    .number()
    .int()
    .min(0)
    .max(MAX_CALLS)
    .optional()
    .openapi({ description: 'Administrators only: the calls at once; 0: no limit of its own.' }),
  sms: service('SMS.'),
  rcid: service('kept and shown, without effect.'),
  mms: service('MMS.'),
  bypassMedia: service('kept and shown, without effect.'),
  e911: service('emergency addresses.'),
  intl: service('calls to other countries.'),
  cnam: service('kept and shown, without effect.'),
  dialer: service('kept and shown, without effect.'),
  rates: rateChange.optional(),
})

type Settings = z.infer<typeof settings>

export interface SettingsDeps {
  readonly db: Database
  readonly accounts: Accounts
  readonly billing: AccountBilling
}

export function settingsOperations(deps: SettingsDeps): Styles {
  const operation = rest({
    id: 'updateAccount',
    summary: 'Change the settings of the account',
    description: 'A field that the caller may not set is 400, and nothing is changed.',
    method: 'put',
    path: '/account',
    row: 'Update account settings',
    body: settings,
    data: z.object({
      updated: z.array(shownText('A field.')).openapi({ description: 'The fields that are set.' }),
    }),
    errors: [404, 409],
    run: async ({ caller, body }) => {
      const account = await changedAccount(deps.accounts, caller, body)
      const { username: _account, ...fields } = body
      await apply(deps, account, fields)
      return { updated: Object.keys(fields) }
    },
  })
  return { rest: [operation] }
}

/** Resolves with the account to change. Rejects with ApiFailure when the caller may not set a named field. */
async function changedAccount(
  accounts: Accounts,
  caller: Account,
  body: Settings,
): Promise<Account> {
  const own = caller.profile
  const isOwn = body.username === undefined || body.username === own.username
  if (!own.isAdministrator) {
    const forbidden = Object.keys(body).filter((field) => !CUSTOMER_FIELDS.includes(field))
    if (forbidden.length > 0)
      throw new ApiFailure(400, `${forbidden.join(', ')}: only an administrator may set this`)
    if (!isOwn) throw new ApiFailure(403, 'username: only an administrator may change this account')
  }
  if (isOwn) return caller
  const account = await accounts.findByUsername(body.username ?? '')
  if (account === undefined) throw new ApiFailure(404, 'username: there is no such account')
  return account
}

async function apply(
  { db, accounts, billing }: SettingsDeps,
  { sid }: Account,
  { ccs, rates, ...fields }: Omit<Settings, 'username'>,
): Promise<void> {
  const change: AccountChange = {
    profile: profileChange(fields),
    settings: ccs === undefined ? {} : { concurrentCalls: ccs === 0 ? undefined : ccs },
  }
  await db.inOneCommit(async () => {
    await accounts.update(sid, change)
    if (rates !== undefined) await billing.changeRates(sid, rates)
  })
}

function profileChange(fields: Omit<Settings, 'username' | 'ccs' | 'rates'>): ProfileChange {
  const services = Object.fromEntries(
    SERVICES.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  )
  const { timezone: zone, notify, notifyThreshold, callerId: number } = fields
  return {
    services,
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(notify === undefined ? {} : { notify }),
    ...(notifyThreshold === undefined ? {} : { notifyThreshold }),
    ...(number === undefined ? {} : { callerId: number === '' ? undefined : number }),
  }
}
