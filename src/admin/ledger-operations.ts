/** The operator's view of the ledger, with adjustments. */
import { z } from '@hono/zod-openapi'
import { billedAccount } from '../accounts/billed-account.js'
import { checkLedger } from '../ledger/check-ledger.js'
import { balanceOf } from '../ledger/ledger.js'
import { type EntryPosition, listEntries } from '../ledger/list-entries.js'
import { dollarsOf } from '../ledger/money.js'
import { newSid } from '../platform/ids.js'
import { type AdminOperation, operation } from './admin-operation.js'
import {
  adjustmentBody,
  balanceResource,
  entryResource,
  entryToWire,
  params,
  unitsOf,
} from './ledger-schemas.js'
import {
  accountOf,
  creditOperations,
  type LedgerOperationsDeps,
  openAccount,
  paymentOperations,
  recurringOperations,
} from './money-operations.js'
import { AdminError, EntryExistsError } from './private-dialect.js'

const ACCOUNT = '/accounts/{accountSid}'
const AFTER = /^(\d{1,16})-(\d{1,16})$/
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100

export function ledgerOperations(deps: LedgerOperationsDeps): AdminOperation[] {
  return [
    ...balanceOperations(deps),
    ...adjustments(deps),
    ...creditOperations(deps),
    ...paymentOperations(deps),
    ...recurringOperations(deps),
  ]
}

function balanceOperations(deps: LedgerOperationsDeps): AdminOperation[] {
  const { db } = deps
  return [
    operation({
      id: 'checkLedger',
      summary: 'Recompute all balances from their entries',
      description: 'Every node does this once an hour too: the metric is ledger_faults.',
      method: 'get',
      path: '/ledger/check',
      response: z.object({
        faults: z
          .array(
            z.object({
              accountSid: z.string().openapi({ description: 'The account.' }),
              balance: z.number().openapi({ description: 'Its balance as it is kept.' }),
              sumOfEntries: z.number().openapi({ description: 'What it should be.' }),
              reserved: z.number().openapi({ description: 'Its reserved part as it is kept.' }),
              sumOfReservations: z.number().openapi({ description: 'What that should be.' }),
            }),
          )
          .openapi({ description: 'The first hundred balances that are off; none is right.' }),
      }),
      run: async () => ({
        faults: (await checkLedger(db.read)).map((fault) => ({
          accountSid: fault.accountSid,
          balance: dollarsOf(fault.amount),
          sumOfEntries: dollarsOf(fault.sumOfEntries),
          reserved: dollarsOf(fault.reserved),
          sumOfReservations: dollarsOf(fault.sumOfReservations),
        })),
      }),
    }),
    operation({
      id: 'getBalance',
      summary: 'Get the balance of an account, in dollars',
      method: 'get',
      path: `${ACCOUNT}/balance`,
      params,
      response: balanceResource,
      errors: [404],
      run: async ({ params: { accountSid } }) => {
        const { sid } = await accountOf(deps, accountSid)
        const billedTo = await billedAccount(db.read, sid)
        const { amount, reserved } = await balanceOf(db.read, billedTo)
        return {
          balance: dollarsOf(amount),
          reserved: dollarsOf(reserved),
          available: dollarsOf(amount - reserved),
          billedTo,
        }
      },
    }),
    entryList(deps),
  ]
}

function entryList(deps: LedgerOperationsDeps): AdminOperation {
  return operation({
    id: 'listLedgerEntries',
    summary: 'List the entries that an account pays for, the newest first',
    method: 'get',
    path: `${ACCOUNT}/ledger`,
    params,
    query: z.strictObject({
      after: z
        .string()
        .regex(AFTER, 'must be the next of a page')
        .optional()
        .openapi({ description: 'The `next` of the page before.' }),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_LIMIT)
        .default(DEFAULT_LIMIT)
        .openapi({ description: `How many entries a page has: up to ${MAX_LIMIT}.` }),
    }),
    response: z.object({
      entries: z.array(entryResource).openapi({ description: 'The newest first.' }),
      next: z
        .string()
        .nullable()
        .openapi({ description: 'The `after` of the next page; null on the last one.' }),
    }),
    errors: [404],
    run: async ({ params: { accountSid }, query: { after, limit } }) => {
      const { sid } = await accountOf(deps, accountSid)
      const page = { limit: limit + 1, after: positionOf(after) }
      const found = await listEntries(deps.db.read, sid, page)
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const next = found.length > limit && last !== undefined ? `${last.at}-${last.id}` : null
      return { entries: shown.map(entryToWire), next }
    },
  })
}

function positionOf(after: string | undefined): EntryPosition | undefined {
  const [, at, id] = AFTER.exec(after ?? '') ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: Number(id) }
}

function adjustments(deps: LedgerOperationsDeps): AdminOperation[] {
  const { clock, db, ledger } = deps
  return [
    operation({
      id: 'createAdjustment',
      summary: 'Change the balance of an account by an entry',
      method: 'post',
      path: `${ACCOUNT}/adjustments`,
      params,
      body: adjustmentBody,
      status: 201,
      response: balanceResource.pick({ balance: true }),
      errors: [404, 409],
      run: async ({ params: { accountSid }, body }) => {
        const sid = await openAccount(deps, accountSid)
        const amount = unitsOf(body.amount)
        if (amount === 0) throw new AdminError(400, 'amount is zero')
        const entry = {
          key: `adjustment:${sid}:${body.reference ?? newSid('AJ')}`,
          accountSid: sid,
          billedSid: sid,
          cause: 'adjustment',
          reference: body.reference ?? '',
          amount,
          description: body.description,
          at: clock.now(),
        } as const
        if (!(await db.write((tx) => ledger.post(tx, entry))))
          throw new EntryExistsError(`there is an adjustment ${body.reference ?? ''} already`)
        return { balance: dollarsOf((await balanceOf(db.read, sid)).amount) }
      },
    }),
  ]
}
