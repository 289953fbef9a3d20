/** The operator's rates: import from CSV, list, delete, and the rate fields of accounts. */
import { z } from '@hono/zod-openapi'
import type { Accounts } from '../accounts/accounts.js'
import type { Clock } from '../platform/clock.js'
import type { CsvImports } from '../platform/csv-imports/csv-imports.js'
import type { Database } from '../platform/database/database.js'
import { accountRatesOf, changeAccountRates, RATE_FIELDS } from '../rating/account-rates.js'
import { MAX_MICROS, MICROS_PER_DOLLAR } from '../rating/rate.js'
import type { RateBook } from '../rating/rate-book.js'
import { RATE_COLUMNS } from '../rating/rate-imports.js'
import { listRates, type PrefixRate, removeRate } from '../rating/rates.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { csvImportOperations } from './csv-import-operations.js'
import { AdminError, notFound } from './private-dialect.js'

export interface RateOperationsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'find'>
  readonly rateBook: Pick<RateBook, 'changed'>
  readonly rateImports: CsvImports
}

export const RATE_IMPORTS = '/rates/imports'
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100
const AFTER = /^(inbound|outbound) (\+[0-9]{0,15})$/
const PREFIX = /^\+[0-9]{0,15}$/

const direction = z.enum(['inbound', 'outbound'])
const accountSid = z
  .string()
  .max(34)
  .default('')
  .openapi({ description: 'The account whose rates are meant; none: the rates of everybody.' })

const rateResource = z
  .object({
    accountSid: z.string().openapi({ description: 'The account; empty for everybody.' }),
    direction,
    prefix: z.string().openapi({ description: 'The beginning of the numbers: +1415.' }),
    rate: z.number().openapi({ description: 'The dollars of a minute.' }),
    minimum: z.number().int().openapi({ description: 'The seconds that are billed at least.' }),
    increment: z
      .number()
      .int()
      .openapi({ description: 'The steps beyond the minimum, in seconds.' }),
    description: z.string().openapi({ description: 'A name for people.' }),
  })
  .openapi('Rate')

const params = {
  accountSid: z.string().openapi({ description: 'The sid of the account: AC and 32 hex digits.' }),
}

const accountRate = z
  .number()
  .min(0)
  .max(MAX_MICROS / MICROS_PER_DOLLAR)
  .nullable()
const FIELD_DESCRIPTIONS = {
  fax: 'A page of a fax.',
  sms: 'A segment of an SMS.',
  mms: 'An MMS.',
  tfAdj: 'What is added to a minute of a call to a toll-free number of the account.',
  lrn: 'A look-up of a routing number.',
  nibble: 'A minute of a call that no prefix has a rate for.',
  did: 'A number in a month.',
  cnam: "A look-up of a caller's name.",
  intlMax: 'The highest rate of a minute of a call to another country.',
} as const
const accountRatesShape = Object.fromEntries(
  RATE_FIELDS.map((field) => [
    field,
    accountRate.openapi({ description: `${FIELD_DESCRIPTIONS[field]} In dollars; null: not set.` }),
  ]),
) as Record<(typeof RATE_FIELDS)[number], typeof accountRate> // one for each field
const accountRatesResource = z.object(accountRatesShape).openapi('AccountRates')

export function rateOperations(deps: RateOperationsDeps): AdminOperation[] {
  return [
    ...csvImportOperations({
      path: RATE_IMPORTS,
      name: 'Rates',
      summary: 'Import rates of calls from CSV, up to 1 GB',
      description: `The first line names the columns: ${RATE_COLUMNS.join(', ')}. \`prefix\` and \`rate\`, the dollars of a minute, are needed. Rows are stored as they come; a rate of the same account, direction and prefix is replaced.`,
      imports: deps.rateImports,
    }),
    ...prefixRates(deps),
    ...accountRates(deps),
  ]
}

function prefixRates(deps: RateOperationsDeps): AdminOperation[] {
  const { db } = deps
  return [
    operation({
      id: 'listRates',
      summary: 'List the rates of everybody, or of one account, in the order of their prefixes',
      method: 'get',
      path: '/rates',
      query: z.object({
        accountSid,
        after: z
          .string()
          .regex(AFTER, 'must be a direction and a prefix: outbound +1')
          .optional()
          .openapi({ description: 'Only rates after this one: the `next` of the page before.' }),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(MAX_LIMIT)
          .default(DEFAULT_LIMIT)
          .openapi({ description: `How many rates a page has: up to ${MAX_LIMIT}.` }),
      }),
      response: z.object({
        rates: z.array(rateResource),
        next: z
          .string()
          .nullable()
          .openapi({ description: 'The `after` of the next page; null on the last one.' }),
      }),
      run: async ({ query: { accountSid: sid, after, limit } }) => {
        refuseNul(sid)
        const found = await listRates(db.read, sid, { limit: limit + 1, after: positionOf(after) })
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const next =
          found.length > limit && last !== undefined ? `${last.direction} ${last.prefix}` : null
        return { rates: shown.map(rateToWire), next }
      },
    }),
    deleteRate(deps),
  ]
}

function deleteRate({ db, rateBook }: RateOperationsDeps): AdminOperation {
  return operation({
    id: 'deleteRate',
    summary: 'Delete a rate; calls under way keep it',
    method: 'delete',
    path: '/rates/{direction}/{prefix}',
    params: {
      direction: z.string().openapi({ description: 'inbound or outbound.' }),
      prefix: z.string().openapi({ description: 'The beginning of the numbers: %2B1415.' }),
    },
    query: z.object({ accountSid }),
    errors: [404],
    run: async ({ params: { direction: given, prefix }, query: { accountSid: sid } }) => {
      const known = direction.safeParse(given)
      refuseNul(sid)
      if (!known.success || !PREFIX.test(prefix)) throw notFound()
      const key = { accountSid: sid, direction: known.data, prefix }
      if (!(await db.write((tx) => removeRate(tx, key)))) throw notFound()
      rateBook.changed()
    },
  })
}

function accountRates({ accounts, clock, db, rateBook }: RateOperationsDeps): AdminOperation[] {
  const sidOf = async (text: string) => {
    const account = await accounts.find(text)
    if (account === undefined) throw notFound()
    return account.sid
  }
  return [
    operation({
      id: 'getAccountRates',
      summary: 'Get the rate fields of an account',
      method: 'get',
      path: '/accounts/{accountSid}/rates',
      params,
      response: accountRatesResource,
      errors: [404],
      run: async ({ params: { accountSid: sid } }) =>
        inDollars(await accountRatesOf(db.read, await sidOf(sid))),
    }),
    operation({
      id: 'changeAccountRates',
      summary: 'Change the rate fields of an account',
      description: 'What is absent stays as it is; what is null is cleared.',
      method: 'patch',
      path: '/accounts/{accountSid}/rates',
      params,
      body: accountRatesResource.partial().strict(),
      response: accountRatesResource,
      errors: [404],
      run: async ({ params: { accountSid: text }, body }) => {
        const sid = await sidOf(text)
        const now = clock.now()
        const change = Object.fromEntries(
          Object.entries(body).map(([field, rate]) => [
            field,
            typeof rate === 'number' ? Math.round(rate * MICROS_PER_DOLLAR) : rate,
          ]),
        )
        const changed = await db.write((tx) => changeAccountRates(tx, sid, change, now))
        rateBook.changed()
        return inDollars(changed)
      },
    }),
  ]
}

function inDollars(rates: Awaited<ReturnType<typeof accountRatesOf>>) {
  return Object.fromEntries(
    RATE_FIELDS.map((field) => {
      const rate = rates[field]
      return [field, rate === undefined ? null : rate / MICROS_PER_DOLLAR]
    }),
  )
}

function positionOf(after: string | undefined) {
  const [, where, prefix] = AFTER.exec(after ?? '') ?? []
  return where === undefined || prefix === undefined
    ? undefined
    : { direction: direction.parse(where), prefix }
}

function refuseNul(text: string): void {
  if (text.includes('\0')) throw new AdminError(400, 'accountSid is not a sid')
}

function rateToWire(rate: PrefixRate): z.infer<typeof rateResource> {
  return {
    accountSid: rate.accountSid,
    direction: rate.direction,
    prefix: rate.prefix,
    rate: rate.perMinute / MICROS_PER_DOLLAR,
    minimum: rate.minimumSeconds,
    increment: rate.incrementSeconds,
    description: rate.description,
  }
}
