/** The webhook of a payment provider, on the public listener. */
import { z } from '@hono/zod-openapi'
import type { Accounts } from '../accounts/accounts.js'
import type { Api } from '../platform/api/api.js'
import { openGate } from '../platform/api/api.js'
import type { Dialect } from '../platform/api/dialect.js'
import { operationsOf } from '../platform/api/operation.js'
import { plainAnswer, plainDialect } from '../platform/api/plain-dialect.js'
import type { Clock } from '../platform/clock.js'
import { DomainError } from '../platform/errors.js'
import type { Logger } from '../platform/log.js'
import { unitsOfDollars } from './money.js'
import type { PaymentProvider } from './payment-provider.js'
import { PAYMENT_STATUSES } from './payment-status.js'
import { PaymentMismatchError, PaymentStatusError, type Payments } from './payments.js'

/** Path prefix of the payment providers' webhooks. */
export const PAYMENTS_PATH = '/payments'

export interface PaymentApiDeps {
  readonly provider: PaymentProvider
  readonly payments: Payments
  readonly accounts: Pick<Accounts, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

class NotGenuineError extends DomainError {
  override readonly name = 'NotGenuineError'
  readonly code = 'payment-not-genuine'
}

class UnknownAccountError extends DomainError {
  override readonly name = 'UnknownAccountError'
  readonly code = 'payment-of-unknown-account'
}

const dialect: Dialect = {
  ...plainDialect,
  explain: (error) => {
    if (error instanceof NotGenuineError) return plainAnswer(401, 'the signature is not valid')
    if (error instanceof UnknownAccountError) return plainAnswer(404, 'there is no such account')
    return error instanceof PaymentMismatchError ? plainAnswer(409, error.message) : undefined
  },
}

const TEXT = /^[^\p{Cc}]*$/u
const MAX_DOLLARS = 1_000_000

const news = z
  .strictObject({
    accountSid: z.string().max(34).openapi({ description: 'AC and 32 hex digits.' }),
    amount: z
      .string()
      .regex(/^\d{1,7}(\.\d{1,4})?$/, 'dollars with up to four decimals')
      .openapi({ description: 'The dollars, as a decimal text: 12.50.' }),
    transactionId: z
      .string()
      .min(1)
      .max(100)
      .regex(TEXT)
      .openapi({ description: 'The transaction; each is stored once.' }),
    status: z.enum(PAYMENT_STATUSES).openapi({ description: 'The status of the payment.' }),
    payerEmail: z
      .string()
      .max(254)
      .regex(TEXT)
      .default('')
      .openapi({ description: 'The address of mail of who paid.' }),
  })
  .refine(({ amount }) => Number(amount) > 0 && Number(amount) <= MAX_DOLLARS, {
    path: ['amount'],
    message: `more than 0 and at most ${MAX_DOLLARS} dollars are expected`,
  })
  .openapi('PaymentNews')

export function paymentApi(deps: PaymentApiDeps): Api<unknown> {
  const { provider, payments, accounts, clock, log } = deps
  return {
    base: PAYMENTS_PATH,
    tag: 'Payments',
    dialect,
    gate: openGate,
    operations: [
      operationsOf<unknown>()({
        id: 'receivePayment',
        summary: 'Take the news of a payment from its provider',
        description:
          'Signed in X-Payment-Signature. The same news twice, and news that came too late, change nothing.',
        method: 'post',
        path: '/webhook',
        isOpen: true,
        idempotency: 'none',
        body: news,
        response: z.object({
          status: z
            .enum(PAYMENT_STATUSES)
            .nullable()
            .openapi({ description: 'The status now; null when the news came too late.' }),
        }),
        errors: [400, 401, 404, 409],
        run: async ({ body, http }) => {
          if (!provider.isGenuine(body, (name) => http.header(name), clock.now()))
            throw new NotGenuineError('a payment with a wrong signature')
          const account = await accounts.find(body.accountSid)
          if (account === undefined) throw new UnknownAccountError(body.accountSid)
          const amount = unitsOfDollars(Number(body.amount)) ?? 0 // checked by the schema
          try {
            const payment = { ...body, accountSid: account.sid, amount }
            return { status: (await payments.record(payment)).status }
          } catch (error) {
            if (!(error instanceof PaymentStatusError)) throw error
            log.info(
              { transactionId: body.transactionId, status: body.status },
              'late payment news',
            )
            return { status: null }
          }
        },
      }),
    ],
    params: {},
    errors: [503],
    hidesPaths: false,
    log,
  }
}
