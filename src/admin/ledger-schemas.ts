/** The wire form of balances, entries, credits, payments and recurring charges: amounts in dollars. */
import { z } from '@hono/zod-openapi'
import type { Credit } from '../ledger/credits.js'
import type { Entry } from '../ledger/list-entries.js'
import { dollarsOf, unitsOfDollars } from '../ledger/money.js'
import { PAYMENT_STATUSES } from '../ledger/payment-status.js'
import type { Payment } from '../ledger/payments.js'
import type { RecurringCharge } from '../ledger/recurring-charges.js'
import { ONE_LINE } from '../platform/text.js'
import { AdminError } from './private-dialect.js'

const MAX_DOLLARS = 1_000_000

export const params = {
  accountSid: z.string().openapi({ description: 'The sid of the account: AC and 32 hex digits.' }),
}

const text = (max: number, description: string) =>
  z.string().max(max).regex(ONE_LINE, 'control characters are not allowed').openapi({ description })

const description = text(200, 'A name for people.').default('')
const sid = (description_: string) => z.string().openapi({ description: description_ })
const amount = (description_: string) => z.number().openapi({ description: description_ })
const time = (description_: string) => z.string().openapi({ description: description_ })

const anyAmount = z.number().min(-MAX_DOLLARS).max(MAX_DOLLARS)
const positive = z.number().positive().max(MAX_DOLLARS)

export const adjustmentBody = z
  .strictObject({
    amount: anyAmount.openapi({
      description:
        'Dollars with up to four decimals: positive for the account, negative against it.',
    }),
    description,
    reference: text(100, 'A name of yours: a second adjustment of that name is 409.').optional(),
  })
  .openapi('NewAdjustment')

export const creditBody = z
  .strictObject({
    amount: positive.openapi({ description: 'Dollars with up to four decimals.' }),
    description,
    paid: z
      .boolean()
      .default(false)
      .openapi({ description: 'True when the customer has fulfilled the invoice.' }),
  })
  .openapi('NewCredit')

export const creditChangeBody = z
  .strictObject({ paid: z.boolean().openapi({ description: 'True: the invoice is fulfilled.' }) })
  .openapi('CreditChange')

const status = z.enum(PAYMENT_STATUSES).openapi({
  description:
    'Pending becomes Completed, Failed or Denied; Completed becomes Reversed or Refunded; Reversed becomes Canceled_Reversal.',
})

export const paymentBody = z
  .strictObject({
    amount: positive.openapi({ description: 'Dollars with up to four decimals.' }),
    payerEmail: text(254, 'The address of mail of who paid.').default(''),
    transactionId: text(100, 'The transaction; each is stored once.').min(1),
    status: status.default('Completed'),
  })
  .openapi('NewPayment')

export const paymentChangeBody = z.strictObject({ status }).openapi('PaymentChange')

export const recurringBody = z
  .strictObject({
    amount: positive.openapi({ description: 'The dollars of a whole month.' }),
    description,
    reference: text(100, 'The sid or number that it is for.').default(''),
  })
  .openapi('NewRecurringCharge')

export const balanceResource = z
  .object({
    balance: amount('The sum of all entries.'),
    reserved: amount('The part that is kept for calls under way.'),
    available: amount('The part that new calls may reserve.'),
    billedTo: sid('The account that pays: its master, or itself.'),
  })
  .openapi('LedgerBalance')

export const entryResource = z
  .object({
    id: z.number().int().openapi({ description: 'Its number in the order of storing.' }),
    cause: z.string().openapi({ description: 'Why: call, number, campaign, payment, …' }),
    kind: z.string().openapi({ description: 'The finer kind within the cause, if any.' }),
    reference: z.string().openapi({ description: 'The sid or number that it is about.' }),
    causedBy: sid('The account that caused it: the paying one, or a sub-account.'),
    amount: amount('Dollars: positive came in, negative was charged.'),
    description: z.string().openapi({ description: 'A name for people.' }),
    at: time('When it was stored (ISO 8601).'),
  })
  .openapi('LedgerEntry')

export const creditResource = z
  .object({
    sid: sid('CT and 32 hex digits.'),
    amount: amount('Dollars.'),
    description: z.string().openapi({ description: 'A name for people.' }),
    paid: z.boolean().openapi({ description: 'True when the invoice is fulfilled.' }),
    createdAt: time('When it was given (ISO 8601).'),
    paidAt: time('When it was marked as paid (ISO 8601).').nullable(),
  })
  .openapi('OperatedCredit')

export const paymentResource = z
  .object({
    sid: sid('PY and 32 hex digits.'),
    amount: amount('Dollars.'),
    payerEmail: z.string().openapi({ description: 'The address of mail of who paid.' }),
    transactionId: z.string().openapi({ description: 'The transaction.' }),
    status,
    createdAt: time('When it was stored (ISO 8601).'),
    updatedAt: time('When its status changed last (ISO 8601).'),
  })
  .openapi('OperatedPayment')

export const recurringResource = z
  .object({
    sid: sid('RC and 32 hex digits.'),
    amount: amount('The dollars of a whole month.'),
    description: z.string().openapi({ description: 'A name for people.' }),
    reference: z.string().openapi({ description: 'The sid or number that it is for.' }),
    startedAt: time('When it began (ISO 8601).'),
    endedAt: time('When it ended (ISO 8601).').nullable(),
  })
  .openapi('OperatedRecurringCharge')

/** Returns the amount in 1/10,000 dollar. Throws AdminError for a finer one. */
export function unitsOf(dollars: number): number {
  const units = unitsOfDollars(dollars)
  if (units === undefined) throw new AdminError(400, 'amount has more than four decimals')
  return units
}

const iso = (at: number): string => new Date(at).toISOString()
const isoOrNull = (at: number | undefined): string | null => (at === undefined ? null : iso(at))

export function entryToWire(entry: Entry): z.infer<typeof entryResource> {
  return {
    id: entry.id,
    cause: entry.cause,
    kind: entry.kind,
    reference: entry.reference,
    causedBy: entry.originSid,
    amount: dollarsOf(entry.amount),
    description: entry.description,
    at: iso(entry.at),
  }
}

export function creditToWire(credit: Credit): z.infer<typeof creditResource> {
  return {
    sid: credit.sid,
    amount: dollarsOf(credit.amount),
    description: credit.description,
    paid: credit.isPaid,
    createdAt: iso(credit.createdAt),
    paidAt: isoOrNull(credit.paidAt),
  }
}

export function paymentToWire(payment: Payment): z.infer<typeof paymentResource> {
  return {
    sid: payment.sid,
    amount: dollarsOf(payment.amount),
    payerEmail: payment.payerEmail,
    transactionId: payment.transactionId,
    status: payment.status,
    createdAt: iso(payment.createdAt),
    updatedAt: iso(payment.updatedAt),
  }
}

export function recurringToWire(charge: RecurringCharge): z.infer<typeof recurringResource> {
  return {
    sid: charge.sid,
    amount: dollarsOf(charge.amount),
    description: charge.description,
    reference: charge.reference,
    startedAt: iso(charge.startedAt),
    endedAt: isoOrNull(charge.endedAt),
  }
}
