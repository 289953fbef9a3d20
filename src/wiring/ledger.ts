/** Wires the ledger, what is billed on it and the notifications of low balances. */
import { lowBalanceThreshold } from '../accounts/low-balance-threshold.js'
import { type LedgerWatch, watchLedger } from '../ledger/check-ledger.js'
import { type Credits, createCredits } from '../ledger/credits.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { lowBalanceChannel } from '../ledger/low-balance.js'
import { UNITS_PER_DOLLAR } from '../ledger/money.js'
import { paymentApi } from '../ledger/payment-api.js'
import { createSignedProvider } from '../ledger/payment-provider.js'
import { createPayments, type Payments } from '../ledger/payments.js'
import { createRecurringCharges, type RecurringCharges } from '../ledger/recurring-charges.js'
import { startReservationSweep } from '../ledger/reservation-sweep.js'
import type { Api } from '../platform/api/api.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Base } from './base.js'

export interface Billing {
  readonly ledger: Ledger
  readonly credits: Credits
  readonly payments: Payments
  readonly recurring: RecurringCharges
  readonly watch: LedgerWatch
  /** The webhook of the payment provider; undefined without its secret. */
  readonly paymentApi: Api<unknown> | undefined
}

export function wireLedger(base: Base, outbox: Outbox): Billing {
  const { clock, db, disposer, log } = base
  const lows = outbox.open(
    lowBalanceChannel((low) => {
      log.warn({ ...low }, 'the balance of an account is low')
      return Promise.resolve()
    }),
  )
  const ledger = createLedger({
    onLow: (tx, low) => lows.enqueue(tx, [low]),
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
