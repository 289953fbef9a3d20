/** Rate fields of an account, and the defaults of accounts without their own. */
import { z } from '@hono/zod-openapi'
import type { Accounts } from '../accounts/accounts.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import {
  accountRatesOf,
  changeAccountRates,
  DEFAULT_RATE_FIELDS,
  EVERYBODY,
  RATE_FIELDS,
  type RateField,
} from '../rating/account-rates.js'
import { MAX_MICROS, MICROS_PER_DOLLAR } from '../rating/rate.js'
import type { RateBook } from '../rating/rate-book.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { notFound } from './private-dialect.js'

export interface AccountRateDeps {
  readonly db: Database
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'find'>
  readonly rateBook: Pick<RateBook, 'changed'>
}

const DESCRIPTIONS: Readonly<Record<RateField, string>> = {
  fax: 'A page of a fax.',
  sms: 'A segment of an SMS.',
  mms: 'An MMS.',
  tfAdj: 'What is added to a minute of a call to a toll-free number of the account.',
  lrn: 'A look-up of a routing number.',
  nibble: 'A minute of a call that no prefix has a rate for.',
  did: 'A number in a month.',
  cnam: "A look-up of a caller's name.",
  intlMax: 'The highest rate of a minute of a call to another country.',
  recording: 'A recorded minute.',
  transcription: 'A transcription of a recording.',
}

const rate = z
  .number()
  .min(0)
  .max(MAX_MICROS / MICROS_PER_DOLLAR)
  .nullable()
const accountRates = z.object(shapeOf(RATE_FIELDS)).openapi('AccountRates')
const defaultRates = z.object(shapeOf(DEFAULT_RATE_FIELDS)).openapi('DefaultRates')
const params = {
  accountSid: z.string().openapi({ description: 'The sid of the account: AC and 32 hex digits.' }),
}
const PARTIAL = 'What is absent stays as it is; what is null is cleared.'

export function accountRateOperations(deps: AccountRateDeps): AdminOperation[] {
  return [...ratesOfAccount(deps), ...ratesOfEverybody(deps)]
}

function ratesOfAccount(deps: AccountRateDeps): AdminOperation[] {
  const sidOf = async (text: string) => {
    const account = await deps.accounts.find(text)
    if (account === undefined) throw notFound()
    return account.sid
  }
  const common = { path: '/accounts/{accountSid}/rates', params, errors: [404] } as const
  return [
    operation({
      ...common,
      id: 'getAccountRates',
      summary: 'Get the rate fields of an account',
      method: 'get',
      response: accountRates,
      run: async ({ params: { accountSid } }) =>
        inDollars(RATE_FIELDS, await accountRatesOf(deps.db.read, await sidOf(accountSid))),
    }),
    operation({
      ...common,
      id: 'changeAccountRates',
      summary: 'Change the rate fields of an account',
      description: PARTIAL,
      method: 'patch',
      body: accountRates.partial().strict(),
      response: accountRates,
      run: async ({ params: { accountSid }, body }) =>
        inDollars(RATE_FIELDS, await change(await sidOf(accountSid), body, deps)),
    }),
  ]
}

function ratesOfEverybody(deps: AccountRateDeps): AdminOperation[] {
  const path = '/rates/default'
  return [
    operation({
      id: 'getDefaultRates',
      summary: 'Get the rate fields of every account without its own',
      method: 'get',
      path,
      response: defaultRates,
      run: async () =>
        inDollars(DEFAULT_RATE_FIELDS, await accountRatesOf(deps.db.read, EVERYBODY)),
    }),
    operation({
      id: 'changeDefaultRates',
      summary: 'Change the rate fields of every account without its own',
      description: `${PARTIAL} The rate of an account, or of its master, goes before.`,
      method: 'patch',
      path,
      body: defaultRates.partial().strict(),
      response: defaultRates,
      run: async ({ body }) => inDollars(DEFAULT_RATE_FIELDS, await change(EVERYBODY, body, deps)),
    }),
  ]
}

type Dollars = Readonly<Partial<Record<RateField, number | null | undefined>>>

async function change(accountSid: string, dollars: Dollars, deps: AccountRateDeps) {
  const { clock, db, rateBook } = deps
  const now = clock.now()
  const micros = Object.fromEntries(
    Object.entries(dollars).map(([field, each]) => [
      field,
      typeof each === 'number' ? Math.round(each * MICROS_PER_DOLLAR) : each,
    ]),
  )
  const changed = await db.write((tx) => changeAccountRates(tx, accountSid, micros, now))
  rateBook.changed()
  return changed
}

function inDollars<Field extends RateField>(
  fields: readonly Field[],
  rates: Readonly<Record<RateField, number | undefined>>,
): Record<Field, number | null> {
  const entries = fields.map((field) => {
    const micros = rates[field]
    return [field, micros === undefined ? null : micros / MICROS_PER_DOLLAR] as const
  })
  return Object.fromEntries(entries) as Record<Field, number | null> // one for each field
}

function shapeOf<Field extends RateField>(fields: readonly Field[]): Record<Field, typeof rate> {
  const entries = fields.map(
    (field) =>
      [
        field,
        rate.openapi({ description: `${DESCRIPTIONS[field]} In dollars; null: not set.` }),
      ] as const,
  )
  return Object.fromEntries(entries) as Record<Field, typeof rate> // one for each field
}
