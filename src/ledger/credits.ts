/** Credits: the operator advances an amount against an invoice, which the customer pays later. */
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { listNewestFirst, type Page, type PageRequest } from '../platform/database/newest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { newSid } from '../platform/ids.js'
import type { Ledger } from './ledger.js'
import type { LedgerCreditsTable } from './tables.js'

export interface Credit {
  readonly sid: string
  readonly accountSid: string
  /** In 1/10,000 dollar. */
  readonly amount: number
  readonly description: string
  /** True once the customer has paid the invoice. */
  readonly isPaid: boolean
  readonly createdAt: number
  readonly paidAt: number | undefined
}

export interface NewCredit {
  readonly accountSid: string
  readonly amount: number
  readonly description: string
  readonly isPaid: boolean
}

export interface Credits {
  /** Credits the account at once; its invoice may be paid later. */
  give(credit: NewCredit): Promise<Credit>
  /** Marks the invoice as paid, or as outstanding again; undefined for an unknown sid. */
  setPaid(accountSid: string, sid: string, isPaid: boolean): Promise<Credit | undefined>
  list(
    accountSid: string,
    filter: { readonly isPaid?: boolean | undefined },
    page: PageRequest,
  ): Promise<Page<Credit>>
}

interface CreditsDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
}

export function createCredits(deps: CreditsDeps): Credits {
  const { db, clock } = deps
  return {
    give: (credit) => give(credit, deps),
    setPaid: async (accountSid, sid, isPaid) => {
      const now = clock.now()
      const row = await db.write((tx) =>
        tx
          .updateTable('ledger_credits')
          .set((set) => ({
            paid: isPaid ? 1 : 0,
            paidAt: isPaid ? set.fn.coalesce('paidAt', set.val(now)) : null,
          }))
          .where('sid', '=', sid)
          .where('accountSid', '=', accountSid)
          .returningAll()
          .executeTakeFirst(),
      )
      return row && toCredit(row)
    },
    list: async (accountSid, { isPaid }, page) => {
      const all = db.read
        .selectFrom('ledger_credits')
        .selectAll()
        .where('accountSid', '=', accountSid)
      const matching = isPaid === undefined ? all : all.where('paid', '=', isPaid ? 1 : 0)
      const found = await listNewestFirst({ read: db.read, matching }, page)
      return { ...found, items: found.items.map(toCredit) }
    },
  }
}

async function give(
  { accountSid, amount, description, isPaid }: NewCredit,
  { db, clock, ledger }: CreditsDeps,
): Promise<Credit> {
  const now = clock.now()
  const row = {
    sid: newSid('CT'),
    accountSid,
    amount,
    description,
    paid: isPaid ? 1 : 0,
    createdAt: now,
    paidAt: isPaid ? now : null,
  }
  await db.write(async (tx) => {
    await tx.insertInto('ledger_credits').values(row).execute()
    await ledger.post(tx, {
      key: `credit:${row.sid}`,
      accountSid,
      billedSid: accountSid,
      cause: 'credit',
      reference: row.sid,
      amount,
      description,
      at: now,
    })
  })
  return toCredit(row)
}

function toCredit(row: Selectable<LedgerCreditsTable>): Credit {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    amount: row.amount,
    description: row.description,
    isPaid: row.paid === 1,
    createdAt: row.createdAt,
    paidAt: row.paidAt ?? undefined,
  }
}
