/** Wires the ledger, what is billed on it and the notifications of low balances. */
import { type LedgerWatch, watchLedger } from '../ledger/check-ledger.js'
import { type Credits, createCredits } from '../ledger/credits.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { lowBalanceChannel } from '../ledger/low-balance.js'
import { createPayments, type Payments } from '../ledger/payments.js'
import { createRecurringCharges, type RecurringCharges } from '../ledger/recurring-charges.js'
import { startReservationSweep } from '../ledger/reservation-sweep.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Base } from './base.js'

export interface Billing {
  readonly ledger: Ledger
  readonly credits: Credits
  readonly payments: Payments
  readonly recurring: RecurringCharges
  readonly watch: LedgerWatch
}

export function wireLedger({ clock, db, disposer, log }: Base, outbox: Outbox): Billing {
  const lows = outbox.open(
    lowBalanceChannel((low) => {
      log.warn({ ...low }, 'the balance of an account is low')
      return Promise.resolve()
    }),
  )
  const ledger = createLedger({ onLow: (tx, low) => lows.enqueue(tx, [low]) })
  const recurring = disposer.use(createRecurringCharges({ db, clock, log, ledger }))
  disposer.use(startReservationSweep({ db, clock, log }))
  return {
    ledger,
    credits: createCredits({ db, clock, ledger }),
    payments: createPayments({ db, clock, ledger }),
    recurring,
    watch: disposer.use(watchLedger({ db, clock, log })),
  }
}
