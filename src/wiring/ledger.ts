/** Wires the ledger, its charges, and low-balance notifications. */
import { lowBalanceThreshold } from '../accounts/account-storage.js'
import { type LedgerWatch, watchLedger } from '../ledger/check-ledger.js'
import { type Credits, createCredits } from '../ledger/credits.js'
import {
  createLedger,
  type Ledger,
  lowBalanceChannel,
  type TellLowBalance,
} from '../ledger/ledger.js'
import { dollarText, UNITS_PER_DOLLAR } from '../ledger/money.js'
import { paymentApi } from '../ledger/payment-api.js'
import { createSignedProvider } from '../ledger/payment-provider.js'
import { createPayments, type Payments } from '../ledger/payments.js'
import { createRecurringCharges, type RecurringCharges } from '../ledger/recurring-charges.js'
import { startReservationSweep } from '../ledger/reservations.js'
import type { Api } from '../platform/api/api.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Base } from './base.js'
import { wireMail } from './mail.js'

export interface Billing {
  readonly ledger: Ledger
  readonly credits: Credits
  readonly payments: Payments
  readonly recurring: RecurringCharges
  readonly watch: LedgerWatch
  /** Webhook of the payment provider; undefined without its secret. */
  readonly paymentApi: Api<unknown> | undefined
}

export function wireLedger(base: Base, outbox: Outbox): Billing {
  const { clock, db, disposer, log } = base
  const lows = outbox.open(lowBalanceChannel(lowBalanceMails(base)))
  const ledger = createLedger({
    onLow: async (tx, low) => {
      await lows.enqueue(tx, [low])
      db.onCommit(tx, () => {
        lows.wake()
      })
    },
    thresholdOf: async (read, sid) => {
      const dollars = await lowBalanceThreshold(read, sid)
      return dollars === undefined ? undefined : dollars * UNITS_PER_DOLLAR
    },
  })
  const payments = createPayments({ db, clock, ledger })
  const recurring = disposer.use(createRecurringCharges({ db, clock, log, ledger }))
  disposer.use(startReservationSweep({ db, clock, log }))
  return {
    ledger,
    credits: createCredits({ db, clock, ledger }),
    payments,
    paymentApi: paymentApiOf(base, payments),
    recurring,
    watch: disposer.use(watchLedger({ db, clock, log })),
  }
}

function paymentApiOf({ accounts, clock, config, log }: Base, payments: Payments) {
  const { paymentWebhookSecret: secret } = config
  if (secret === undefined) return undefined
  return paymentApi({ provider: createSignedProvider(secret), payments, accounts, clock, log })
}

/** Mails low-balance notifications; for an account without a mail address, only logs them. */
function lowBalanceMails(base: Base): TellLowBalance {
  const { accounts, log } = base
  const mailer = wireMail(base)
  return async (low, token, signal) => {
    log.warn({ ...low }, 'the balance of an account is low')
    const account = await accounts.find(low.accountSid)
    const to = account?.profile.email
    if (account === undefined || to === undefined) return
    const [balance, threshold] = [low.amount, low.threshold].map((units) => dollarText(units))
    const subject = 'The balance of your account is low'
    const text = `The balance of your account ${account.profile.username} is ${balance} dollars, below ${threshold}.\n`
    await mailer.send({ to, subject, text, id: `low-balance-${token}`, at: low.at }, signal)
  }
}
