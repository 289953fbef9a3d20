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

/** The most credits, and payments, of one answer. */
const MAX_LISTED = 1_000
const NEWEST = { limit: MAX_LISTED, offset: 0 }
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
    cdrsOf: async ({ sid, profile }, older, newer) => {
      const bounds = [older * SECOND_MS, newer * SECOND_MS + SECOND_MS - 1] as const
      const cdrs = await listCdrs(db.read, sid, bounds)
      return cdrs.map((cdr) => viewOfCdr(cdr, profile.username))
    },
    creditsOf: async (sid, isPaid) => (await credits.list(sid, { isPaid }, NEWEST)).items,
    paymentsOf: async (sid) => (await payments.list(sid, NEWEST)).items,
  }
}
