/** Credits, cash payments and recurring charges that an operator enters for an account. */
import { z } from '@hono/zod-openapi'
import { refuseClosedAccount } from '../accounts/account-status.js'
import { type Account, AccountClosedError, type Accounts } from '../accounts/accounts.js'
import type { Credits } from '../ledger/credits.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Payments } from '../ledger/payments.js'
import { type RecurringCharges, recurringChargesOf } from '../ledger/recurring-charges.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { type AdminOperation, operation } from './admin-operation.js'
import {
  creditBody,
  creditChangeBody,
  creditResource,
  creditToWire,
  params,
  paymentBody,
  paymentChangeBody,
  paymentResource,
  paymentToWire,
  recurringBody,
  recurringResource,
  recurringToWire,
  unitsOf,
} from './ledger-schemas.js'
import { notFound } from './private-dialect.js'
import { list } from './private-paging.js'

export interface LedgerOperationsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'find'>
  readonly ledger: Ledger
  readonly credits: Credits
  readonly payments: Payments
  readonly recurring: RecurringCharges
}

const ACCOUNT = '/accounts/{accountSid}'

/** Resolves with an account by its sid. Rejects for one that does not exist. */
export async function accountOf(deps: LedgerOperationsDeps, text: string): Promise<Account> {
  const account = await deps.accounts.find(text)
  if (account === undefined) throw notFound()
  return account
}

/** Resolves with the sid of an account that may still be charged. */
export async function openAccount(deps: LedgerOperationsDeps, text: string): Promise<string> {
  const { sid, status } = await accountOf(deps, text)
  if (status === 'closed') throw new AccountClosedError(`the account ${sid} is closed`)
  return sid
}

export function creditOperations(deps: LedgerOperationsDeps): AdminOperation[] {
  const { credits } = deps
  return [
    operation({
      id: 'createCredit',
      summary: 'Credit an account at once, against an invoice',
      method: 'post',
      path: `${ACCOUNT}/credits`,
      params,
      body: creditBody,
      status: 201,
      response: creditResource,
      errors: [404, 409],
      run: async ({ params: { accountSid }, body }) => {
        const sid = await openAccount(deps, accountSid)
        const credit = {
          accountSid: sid,
          amount: unitsOf(body.amount),
          description: body.description,
          isPaid: body.paid,
        }
        return creditToWire(await credits.give(credit))
      },
    }),
    list({
      id: 'listCreditsOfAccount',
      summary: 'List the credits of an account, the newest first',
      path: `${ACCOUNT}/credits`,
      name: 'credits',
      record: creditResource,
      params,
      errors: [404],
      run: async ({ params: { accountSid } }, page) => {
        const found = await credits.list((await accountOf(deps, accountSid)).sid, {}, page)
        return { ...found, items: found.items.map(creditToWire) }
      },
    }),
    operation({
      id: 'changeCredit',
      summary: 'Mark the invoice of a credit as paid, or as outstanding',
      method: 'patch',
      path: `${ACCOUNT}/credits/{creditSid}`,
      params: {
        ...params,
        creditSid: z.string().openapi({ description: 'CT and 32 hex digits.' }),
      },
      body: creditChangeBody,
      response: creditResource,
      errors: [404],
      run: async ({ params: { accountSid, creditSid }, body: { paid } }) => {
        const { sid } = await accountOf(deps, accountSid)
        const changed = await credits.setPaid(sid, withoutNul(creditSid), paid)
        if (changed === undefined) throw notFound()
        return creditToWire(changed)
      },
    }),
  ]
}

export function paymentOperations(deps: LedgerOperationsDeps): AdminOperation[] {
  const { payments } = deps
  return [
    operation({
      id: 'createPayment',
      summary: 'Store a cash payment, or the news of one',
      description:
        'A transaction that is known gets the new status; the same news changes nothing.',
      method: 'post',
      path: `${ACCOUNT}/payments`,
      params,
      body: paymentBody,
      status: 201,
      response: paymentResource,
      errors: [404, 409],
      run: async ({ params: { accountSid }, body }) => {
        const sid = await openAccount(deps, accountSid)
        const payment = { ...body, accountSid: sid, amount: unitsOf(body.amount) }
        return paymentToWire(await payments.record(payment))
      },
    }),
    list({
      id: 'listPaymentsOfAccount',
      summary: 'List the cash payments of an account, the newest first',
      path: `${ACCOUNT}/payments`,
      name: 'payments',
      record: paymentResource,
      params,
      errors: [404],
      run: async ({ params: { accountSid } }, page) => {
        const found = await payments.list((await accountOf(deps, accountSid)).sid, page)
        return { ...found, items: found.items.map(paymentToWire) }
      },
    }),
    operation({
      id: 'changePayment',
      summary: 'Change the status of a cash payment',
      method: 'patch',
      path: `${ACCOUNT}/payments/{paymentSid}`,
      params: {
        ...params,
        paymentSid: z.string().openapi({ description: 'PY and 32 hex digits.' }),
      },
      body: paymentChangeBody,
      response: paymentResource,
      errors: [404, 409],
      run: async ({ params: { accountSid, paymentSid }, body: { status } }) => {
        const { sid } = await accountOf(deps, accountSid)
        const changed = await payments.setStatus(sid, withoutNul(paymentSid), status)
        if (changed === undefined) throw notFound()
        return paymentToWire(changed)
      },
    }),
  ]
}

export function recurringOperations(deps: LedgerOperationsDeps): AdminOperation[] {
  const { db, recurring } = deps
  return [
    operation({
      id: 'createRecurringCharge',
      summary: 'Begin a monthly charge; the rest of this month is charged at once',
      method: 'post',
      path: `${ACCOUNT}/recurring-charges`,
      params,
      body: recurringBody,
      status: 201,
      response: recurringResource,
      errors: [404, 409],
      run: async ({ params: { accountSid }, body }) => {
        const sid = await openAccount(deps, accountSid)
        const charge = { ...body, accountSid: sid, amount: unitsOf(body.amount) }
        const started = await db.write(async (tx) => {
          // It may have been closed since, which ends its charges.
          await refuseClosedAccount(tx, sid)
          return await recurring.start(tx, charge)
        })
        return recurringToWire(started)
      },
    }),
    operation({
      id: 'listRecurringChargesOfAccount',
      summary: 'List the monthly charges of an account that have not ended',
      method: 'get',
      path: `${ACCOUNT}/recurring-charges`,
      params,
      response: z.object({
        charges: z.array(recurringResource).openapi({ description: 'The oldest first.' }),
      }),
      errors: [404],
      run: async ({ params: { accountSid } }) => {
        const { sid } = await accountOf(deps, accountSid)
        return { charges: (await recurringChargesOf(db.read, sid)).map(recurringToWire) }
      },
    }),
    operation({
      id: 'endRecurringCharge',
      summary: 'End a monthly charge; the month under way stays paid',
      method: 'delete',
      path: `${ACCOUNT}/recurring-charges/{chargeSid}`,
      params: {
        ...params,
        chargeSid: z.string().openapi({ description: 'RC and 32 hex digits.' }),
      },
      errors: [404],
      run: async ({ params: { accountSid, chargeSid } }) => {
        const { sid } = await accountOf(deps, accountSid)
        const ended = await db.write((tx) => recurring.end(tx, sid, withoutNul(chargeSid)))
        if (ended === undefined) throw notFound()
      },
    }),
  ]
}

/** Removes NUL, which PostgreSQL cannot compare. */
function withoutNul(text: string): string {
  if (text.includes('\0')) throw notFound()
  return text
}
