import type { AccountBilling } from '../account-api/account-billing.js'
import { billedAccount } from '../accounts/billed-account.js'
import { balanceOf } from '../ledger/ledger.js'
import { recurringChargesOf } from '../ledger/recurring-charges.js'
import {
  changeAccountRates,
  microsOfRates,
  paidRatesOf,
  ratesInDollars,
} from '../rating/account-rates.js'
import { listCdrs, viewOfCdr } from '../rating/cdrs.js'
import type { Base } from './base.js'
import type { Billing } from './ledger.js'

const SECOND_MS = 1_000

/** The ledger and the rates, as the account API shows them. */
export function accountBilling(
  { clock, db, rateBook }: Pick<Base, 'clock' | 'db' | 'rateBook'>,
  { credits, payments }: Pick<Billing, 'credits' | 'payments'>,
): AccountBilling {
  return {
    balanceOf: async (sid) => (await balanceOf(db.read, await billedAccount(db.read, sid))).amount,
    ratesOf: async (sid) =>
      ratesInDollars(await paidRatesOf(db.read, sid, await billedAccount(db.read, sid))),
    changeRates: async (sid, change) => {
      const now = clock.now()
      await db.write((tx) => changeAccountRates(tx, sid, microsOfRates(change), now))
      rateBook.changed()
    },
    recurringChargesOf: (sid) => recurringChargesOf(db.read, sid),
    cdrsOf: async ({ sid, profile }, { older, newer }, page) => {
      const bounds = [older * SECOND_MS, newer * SECOND_MS + SECOND_MS - 1] as const
      const { items, nextAfter } = await listCdrs(db.read, sid, bounds, page)
      return { items: items.map((cdr) => viewOfCdr(cdr, profile.username)), nextAfter }
    },
    creditsOf: (sid, isPaid, page) => credits.list(sid, { isPaid }, page),
    paymentsOf: (sid, page) => payments.list(sid, page),
  }
}
