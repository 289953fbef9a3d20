import { type AccountBilling, NO_BILLING } from '../../../src/account-api/account-billing.js'
import { createCredits } from '../../../src/ledger/credits.js'
import { createPayments } from '../../../src/ledger/payments.js'
import { createRecurringCharges } from '../../../src/ledger/recurring-charges.js'
import { createRateBook } from '../../../src/rating/rate-book.js'
import { settleCall } from '../../../src/rating/settle-call.js'
import { accountBilling } from '../../../src/wiring/account-api.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { accountApiFixture } from './account-api-fixture.js'

/** The account API over a real ledger, with the fixture's clock. */
export async function billedApiFixture() {
  const wired: { billing: AccountBilling } = { billing: NO_BILLING }
  const late: AccountBilling = {
    balanceOf: (sid) => wired.billing.balanceOf(sid),
    ratesOf: (sid) => wired.billing.ratesOf(sid),
    changeRates: (sid, change) => wired.billing.changeRates(sid, change),
    recurringChargesOf: (sid) => wired.billing.recurringChargesOf(sid),
    cdrsOf: (...asked) => wired.billing.cdrsOf(...asked),
    creditsOf: (...asked) => wired.billing.creditsOf(...asked),
    paymentsOf: (...asked) => wired.billing.paymentsOf(...asked),
  }
  const t = await accountApiFixture({ billing: late })
  const { db, clock } = t
  const ledger = quietLedger()
  const deps = { db, clock, ledger }
  const parts = { credits: createCredits(deps), payments: createPayments(deps) }
  wired.billing = accountBilling({ clock, db, rateBook: createRateBook(deps) }, parts)
  const now = clock.now()
  const call = (sid: string, ago: number) =>
    db.write((tx) =>
      settleCall(
        tx,
        {
          sid,
          accountSid: t.account.sid,
          direction: 'outbound',
          status: 'completed',
          peerIp: '',
          callerName: 'Ann & Co',
          from: '+12025550100',
          to: '+12125550100',
          isAnswered: true,
          durationSeconds: 40,
          terms: {
            billedSid: t.account.sid,
            perMinute: 25_000,
            minimumSeconds: 6,
            incrementSeconds: 6,
          },
          startedAt: now - ago * 1_000,
          endedAt: now,
        },
        ledger,
      ),
    )
  /** Stores one of each for the account: a call, a charge, a payment, and both kinds of credits. */
  const fill = async () => {
    const { sid: accountSid } = t.account
    await call('CA1', 60)
    await using recurring = createRecurringCharges({ ...deps, log: t.deps.log })
    const charge = { accountSid, amount: 12_500, description: 'Number', reference: '' }
    await db.write((tx) => recurring.start(tx, charge))
    for (const isPaid of [true, false])
      await parts.credits.give({ accountSid, description: '', amount: 10_000, isPaid })
    await parts.payments.record({
      accountSid,
      amount: 250_000,
      payerEmail: 'owner@acme.example',
      transactionId: 'T-1',
      status: 'Completed',
    })
  }
  return Object.assign(t, parts, { call, fill, ledger, seconds: Math.floor(now / 1_000) })
}
