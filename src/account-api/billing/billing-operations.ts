/** Views of an account's charges, calls, credits and payments. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { Clock } from '../../platform/clock.js'
import { type AccountBilling, dollars, type ShownCharge } from '../account-billing.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { flag, isoTime, shownNumber, shownText, unixTime } from '../fields.js'
import { pageFields, pageRequest, shownNext, shownPlace } from '../list-pages.js'

const charge = z
  .object({
    amount: shownNumber('The amount of a month, in dollars.'),
    description: shownText('What it is for.'),
  })
  .openapi('RecurringCharge')
const charges = z.array(charge).openapi({ description: 'The monthly charges.' })
const total = shownNumber('The sum of the monthly charges, in dollars.')

const cdr = z
  .object({
    key: z
      .array(z.string())
      .openapi({ description: 'The username, and the start in seconds of the epoch.' }),
    id: shownText('40 hex digits.'),
    value: z
      .object({
        ip: shownText(
          'The address that an incoming call came from, or that answered an outgoing one; empty: nobody did.',
        ),
        cn: shownText('The name of the caller, encoded for a URL.'),
        nr: shownText('The rate of a minute in dollars; empty for a call without a rate.'),
        dst: shownText('The number that was called.'),
        dur: shownText('The seconds between answer and end.'),
        ba: shownText('The billed amount, in dollars.'),
        cid: shownText('The number of the caller.'),
      })
      .openapi({ description: 'The record.' }),
  })
  .openapi('CallDetailRecord')
const cdrs = z.array(cdr).openapi({ description: 'The newest first.' })

const window = {
  start: unixTime('The newer bound, in Unix time; by default now.').optional(),
  end: unixTime('The older bound, in Unix time; by default a day ago.').optional(),
}
const shownWindow = {
  start: z.number().int().openapi({ description: 'The newer bound, in Unix time.' }),
  end: z.number().int().openapi({ description: 'The older bound, in Unix time.' }),
}

const credit = z
  .object({
    paid: flag('True when the invoice is fulfilled, false when it is outstanding.'),
    date: shownText('When the credit was given (ISO 8601).'),
    amount: shownNumber('The amount, in dollars.'),
  })
  .openapi('Credit')
const credits = z.array(credit).openapi({ description: 'The newest first.' })

const payment = z
  .object({
    amount: shownNumber('The amount, in dollars.'),
    date: shownText('When it was made (ISO 8601).'),
    payerEmail: shownText('The address of mail of who paid.'),
    transactionId: shownText('The transaction of the payment provider.'),
    status: shownText(
      'Completed, Pending, Reversed, Refunded, Failed, Denied or Canceled_Reversal.',
    ),
  })
  .openapi('CashPayment')

const DAY_SECONDS = 86_400
const windowPage = z.object({ ...window, ...pageFields() })
type WindowPage = z.output<typeof windowPage>

/** Maximum number of credits, and of payments, in one answer. */
const MAX_ENTRIES = 1_000
const entriesPage = pageFields(MAX_ENTRIES)
const creditPage = z.object(entriesPage)
const creditData = z.object({ credits, next: shownNext })

type Now = Pick<Clock, 'now'>

export function billingOperations(billing: AccountBilling, clock: Now): Styles {
  const operations = [
    rest({
      id: 'listRecurringCharges',
      summary: 'List the monthly charges',
      method: 'get',
      path: '/account/recurring-charges',
      aliases: ['/account/mrc'],
      row: 'Recurring charges',
      addressLimit: 'recurring-charges',
      data: z.object({ charges, total }),
      run: async ({ caller }) => {
        const found = await billing.recurringChargesOf(caller.sid)
        const total = found.reduce((all, { amount }) => all + amount, 0)
        return { charges: found.map(chargeToWire), total: dollars(total) }
      },
    }),
    ...cdrOperations(billing, clock),
    ...creditOperations(billing),
    rest({
      id: 'listPayments',
      summary: 'List the cash payments, the newest first',
      method: 'get',
      path: '/account/payments',
      row: 'Cash payments',
      query: z.object(entriesPage),
      data: z.object({
        payments: z.array(payment).openapi({ description: 'The newest first.' }),
        next: shownNext,
      }),
      run: async ({ caller, query }) => {
        const found = await billing.paymentsOf(caller.sid, pageRequest(query))
        const payments = found.items.map((each) => ({
          amount: dollars(each.amount),
          date: isoTime(each.createdAt),
          payerEmail: each.payerEmail,
          transactionId: each.transactionId,
          status: each.status,
        }))
        return { payments, next: shownPlace(found.nextAfter) }
      },
    }),
  ]
  return {
    rest: operations,
    legacy: legacyOver(
      operations,
      { id: 'legacyListCdrs', does: 'listCdrsByBody', path: '/account/cdr/' },
      {
        id: 'legacyListRecurringCharges',
        does: 'listRecurringCharges',
        path: '/account/mrc/',
        gives: { mrc: 'charges', total: 'total' },
      },
    ),
  }
}

function cdrOperations(billing: AccountBilling, clock: Now): AccountOperation[] {
  const data = z.object({ ...shownWindow, cdr: cdrs, next: shownNext })
  return [
    rest({
      id: 'listCdrs',
      summary: 'List the calls that began in a window',
      description: 'The bounds may come in either order.',
      method: 'get',
      path: '/account/cdr',
      row: 'Call detail records',
      addressLimit: 'cdr',
      query: windowPage,
      data,
      run: async ({ caller, query }) => await cdrsOf(caller, query, billing, clock),
    }),
    rest({
      id: 'listCdrsByBody',
      summary: 'List the calls that began in a window',
      method: 'post',
      path: '/account/cdr',
      addressLimit: 'cdr',
      idempotency: 'none',
      body: windowPage.strict(),
      data,
      run: async ({ caller, body }) => await cdrsOf(caller, body, billing, clock),
    }),
  ]
}

function creditOperations(billing: AccountBilling): AccountOperation[] {
  const status = z
    .enum(['paid', 'unpaid'])
    .optional()
    .openapi({ description: 'Only credits whose invoice is fulfilled, or outstanding.' })
  const filtered = (name: 'paid' | 'unpaid') =>
    rest({
      id: name === 'paid' ? 'listPaidCredits' : 'listUnpaidCredits',
      summary: `List the credits whose invoice is ${name}`,
      method: 'get',
      path: `/account/credits/${name}`,
      row: 'Paid credits / unpaid credits',
      query: creditPage,
      data: creditData,
      run: ({ caller, query }) => creditsOf(caller, name === 'paid', query, billing),
    })
  return [
    rest({
      id: 'listCredits',
      summary: 'List the credits, the newest first',
      method: 'get',
      path: '/account/credits',
      row: 'Credit history',
      query: creditPage.extend({ status }),
      data: creditData,
      run: ({ caller, query }) =>
        creditsOf(
          caller,
          query.status === undefined ? undefined : query.status === 'paid',
          query,
          billing,
        ),
    }),
    filtered('paid'),
    filtered('unpaid'),
  ]
}

const chargeToWire = ({ amount, description }: ShownCharge) => ({
  amount: dollars(amount),
  description,
})

async function cdrsOf(account: Account, asked: WindowPage, billing: AccountBilling, clock: Now) {
  const now = Math.floor(clock.now() / 1_000)
  const { start = now, end = now - DAY_SECONDS, limit, after } = asked
  const [older, newer] = [Math.min(start, end), Math.max(start, end)]
  const found = await billing.cdrsOf(account, { older, newer }, { limit, after })
  return { start: newer, end: older, cdr: [...found.items], next: shownPlace(found.nextAfter) }
}

async function creditsOf(
  { sid }: Account,
  isPaid: boolean | undefined,
  page: z.output<typeof creditPage>,
  billing: AccountBilling,
): Promise<z.infer<typeof creditData>> {
  const found = await billing.creditsOf(sid, isPaid, pageRequest(page))
  return {
    next: shownPlace(found.nextAfter),
    credits: found.items.map((each) => ({
      paid: each.isPaid,
      date: isoTime(each.createdAt),
      amount: dollars(each.amount),
    })),
  }
}
