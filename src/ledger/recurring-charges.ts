/**
 * Recurring charges, posted at the start of each calendar month (UTC) for that month. The first month is
 * charged at once, pro rata for its remaining days; a charge that ends is not refunded for its last month.
 * Each month has exactly one entry, across restarts and nodes.
 */
import { Pump } from '../platform/async/pump.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { newSid } from '../platform/ids.js'
import type { Logger } from '../platform/log.js'
import type { Ledger } from './ledger.js'
import type { LedgerRecurringChargesTable } from './tables.js'

export interface RecurringCharge {
  readonly sid: string
  readonly accountSid: string
  /** Amount per whole month, in 1/10,000 dollar. */
  readonly amount: number
  readonly description: string
  /** Sid or number of the charged item; empty when there is none. */
  readonly reference: string
  readonly startedAt: number
  readonly endedAt: number | undefined
}

export interface NewRecurringCharge {
  readonly accountSid: string
  readonly amount: number
  readonly description: string
  readonly reference: string
}

export interface RecurringCharges extends AsyncDisposable {
  /** Starts a charge and posts its first entry, in the transaction of the charged item. */
  start(tx: Writer, charge: NewRecurringCharge): Promise<RecurringCharge>
  /** Ends a charge; the current month stays paid. Undefined for an unknown sid. */
  end(tx: Writer, accountSid: string, sid: string): Promise<RecurringCharge | undefined>
  /** Posts all due entries; resolves with their number. */
  chargeDue(): Promise<number>
}

interface RecurringDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly ledger: Pick<Ledger, 'post'>
}

const AT_ONCE = 100
/** Polling interval when nothing is due, and pause after a failure, ms. */
const LOOK_EVERY_MS = 60_000

/** Posts due charges until disposed. */
export function createRecurringCharges(deps: RecurringDeps): RecurringCharges {
  const { clock, log, ledger } = deps
  const chargeDue = async (): Promise<number> => {
    let count = 0
    for (;;) {
      const charged = await chargeSome(deps)
      count += charged
      if (charged === 0) return count
    }
  }
  const pump = new Pump({
    name: 'recurring charges',
    log,
    now: () => clock.now(),
    look: async () => {
      try {
        await chargeDue()
      } catch (err) {
        log.error({ err }, 'could not post the recurring charges')
      }
      return clock.now() + LOOK_EVERY_MS
    },
  })
  pump.wake()
  return {
    start: async (tx, charge) => {
      const now = clock.now()
      const row = newRow(charge, now)
      await tx.insertInto('ledger_recurring_charges').values(row).execute()
      await post(tx, row, { at: now, amount: restOfMonth(row.amount, now) }, ledger)
      return toCharge(row)
    },
    end: async (tx, accountSid, sid) => {
      const now = clock.now()
      const row = await tx
        .updateTable('ledger_recurring_charges')
        .set((set) => ({ endedAt: set.fn.coalesce('endedAt', set.val(now)), nextAt: null }))
        .where('sid', '=', sid)
        .where('accountSid', '=', accountSid)
        .returningAll()
        .executeTakeFirst()
      return row && toCharge(row)
    },
    chargeDue,
    [Symbol.asyncDispose]: () => pump[Symbol.asyncDispose](),
  }
}

/**
 * Starts a charge whose first month is already paid, in the transaction of the charged item. Its first entry
 * is posted next month.
 */
export async function startPaidCharge(
  tx: Writer,
  charge: NewRecurringCharge,
  now: number,
): Promise<void> {
  const row = newRow(charge, now)
  await tx.insertInto('ledger_recurring_charges').values(row).execute()
}

/**
 * Ends all charges for an item, by its sid or number, in the transaction that removes the item. The current
 * month stays paid.
 */
export async function endChargesFor(tx: Writer, reference: string, now: number): Promise<void> {
  await ending(tx, now).where('reference', '=', reference).execute()
}

/** Ends all charges of an account. The current month stays paid. */
export async function endChargesOf(tx: Writer, accountSid: string, now: number): Promise<void> {
  await ending(tx, now).where('accountSid', '=', accountSid).execute()
}

/** True while there is a charge for an item, by its sid or number. */
export async function isChargedFor(read: Reader, reference: string): Promise<boolean> {
  const row = await read
    .selectFrom('ledger_recurring_charges')
    .select('sid')
    .where('reference', '=', reference)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

function ending(tx: Writer, now: number) {
  return tx
    .updateTable('ledger_recurring_charges')
    .set({ endedAt: now, nextAt: null })
    .where('endedAt', 'is', null)
}

function newRow(charge: NewRecurringCharge, now: number): Row {
  return {
    sid: newSid('RC'),
    accountSid: charge.accountSid,
    amount: charge.amount,
    description: charge.description,
    reference: charge.reference,
    startedAt: now,
    endedAt: null,
    nextAt: nextMonth(now),
  }
}

/** The active charges of an account, oldest first. */
export async function recurringChargesOf(
  read: Reader,
  accountSid: string,
): Promise<readonly RecurringCharge[]> {
  const rows = await read
    .selectFrom('ledger_recurring_charges')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .where('endedAt', 'is', null)
    .orderBy('startedAt')
    .orderBy('sid')
    .execute()
  return rows.map(toCharge)
}

type Row = Selectable<LedgerRecurringChargesTable>

/** Posts one month of each of the first due charges. */
async function chargeSome({ db, clock, ledger }: RecurringDeps): Promise<number> {
  const due = await db.read
    .selectFrom('ledger_recurring_charges')
    .selectAll()
    .where('nextAt', 'is not', null)
    .where('nextAt', '<=', clock.now())
    .orderBy('nextAt')
    .limit(AT_ONCE)
    .execute()
  for (const row of due) await db.write((tx) => chargeMonth(tx, row, ledger))
  return due.length
}

async function chargeMonth(tx: Writer, row: Row, ledger: RecurringDeps['ledger']): Promise<void> {
  const { nextAt: at, amount } = row
  if (at === null) return
  // Another node may have charged the month, or the charge may have ended.
  const { numUpdatedRows } = await tx
    .updateTable('ledger_recurring_charges')
    .set({ nextAt: nextMonth(at) })
    .where('sid', '=', row.sid)
    .where('nextAt', '=', at)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await post(tx, row, { at, amount }, ledger)
}

async function post(
  tx: Writer,
  row: Row,
  { at, amount }: { readonly at: number; readonly amount: number },
  ledger: RecurringDeps['ledger'],
): Promise<void> {
  const month = monthName(at)
  await ledger.post(tx, {
    key: `recurring:${row.sid}:${month}`,
    accountSid: row.accountSid,
    cause: 'recurring',
    reference: row.reference === '' ? row.sid : row.reference,
    amount: -amount,
    description: `${row.description}, ${month}`,
    at,
  })
}

/** Start of the next calendar month (UTC) after a time. */
function nextMonth(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The month as text: `2026-11`. */
function monthName(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/**
 * Returns the pro-rata share of a month's charge from a day on, that day included, rounded up to 1/10,000
 * dollar.
 */
export function restOfMonth(monthly: number, at: number): number {
  const date = new Date(at)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  const left = days - date.getUTCDate() + 1
  return Math.ceil((monthly * left) / days)
}

function toCharge(row: Row): RecurringCharge {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    amount: row.amount,
    description: row.description,
    reference: row.reference,
    startedAt: row.startedAt,
    endedAt: row.endedAt ?? undefined,
  }
}
