/** Cash payments, entered by the operator or reported by a payment provider. */
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { listNewestFirst, type Page, type PageRequest } from '../platform/database/newest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { DomainError } from '../platform/errors.js'
import { newSid } from '../platform/ids.js'
import type { Ledger } from './ledger.js'
import { isCredited, mayFollow, type PaymentStatus } from './payment-status.js'
import type { LedgerPaymentsTable } from './tables.js'

export interface Payment {
  readonly sid: string
  readonly accountSid: string
  /** In 1/10,000 dollar. */
  readonly amount: number
  readonly payerEmail: string
  readonly transactionId: string
  readonly status: PaymentStatus
  readonly createdAt: number
  readonly updatedAt: number
}

export type NewPayment = Omit<Payment, 'sid' | 'createdAt' | 'updatedAt'>

/** The transaction is stored already with another account or amount. */
export class PaymentMismatchError extends DomainError {
  override readonly name = 'PaymentMismatchError'
  readonly code = 'payment-mismatch'
}

/** A payment cannot change from its status to the requested one. */
export class PaymentStatusError extends DomainError {
  override readonly name = 'PaymentStatusError'
  readonly code = 'payment-status'
}

export interface Payments {
  /**
   * Stores a payment, or the new status of a stored transaction; idempotent. Rejects with
   * PaymentMismatchError or PaymentStatusError.
   */
  record(payment: NewPayment): Promise<Payment>
  /** Changes the status; undefined for an unknown sid. Rejects with PaymentStatusError. */
  setStatus(accountSid: string, sid: string, status: PaymentStatus): Promise<Payment | undefined>
  list(accountSid: string, page: PageRequest): Promise<Page<Payment>>
}

type Row = Selectable<LedgerPaymentsTable>

interface PaymentsDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
}

export function createPayments(deps: PaymentsDeps): Payments {
  const { db, clock, ledger } = deps
  return {
    record: async (payment) => {
      const now = clock.now()
      const sid = newSid('PY')
      return await db.write(async (tx) => {
        const known = await ofTransaction(tx, payment.transactionId)
        if (known === undefined) return await insert(tx, { ...payment, sid }, now, ledger)
        if (known.accountSid !== payment.accountSid || known.amount !== payment.amount)
          throw new PaymentMismatchError(
            `the transaction ${payment.transactionId} has another account or amount`,
          )
        return await change(tx, known, payment.status, now, ledger)
      })
    },
    setStatus: async (accountSid, sid, status) => {
      const now = clock.now()
      return await db.write(async (tx) => {
        const known = await tx
          .selectFrom('ledger_payments')
          .selectAll()
          .where('sid', '=', sid)
          .where('accountSid', '=', accountSid)
          .executeTakeFirst()
        return known && (await change(tx, known, status, now, ledger))
      })
    },
    list: async (accountSid, page) => {
      const matching = db.read
        .selectFrom('ledger_payments')
        .selectAll()
        .where('accountSid', '=', accountSid)
      const found = await listNewestFirst({ read: db.read, matching }, page)
      return { ...found, items: found.items.map(toPayment) }
    },
  }
}

function ofTransaction(tx: Writer, transactionId: string): Promise<Row | undefined> {
  return tx
    .selectFrom('ledger_payments')
    .selectAll()
    .where('transactionId', '=', transactionId)
    .executeTakeFirst()
}

async function insert(
  tx: Writer,
  payment: NewPayment & { readonly sid: string },
  now: number,
  ledger: PaymentsDeps['ledger'],
): Promise<Payment> {
  const row = {
    sid: payment.sid,
    accountSid: payment.accountSid,
    amount: payment.amount,
    payerEmail: payment.payerEmail,
    transactionId: payment.transactionId,
    status: payment.status,
    changes: 0,
    createdAt: now,
    updatedAt: now,
  }
  await tx.insertInto('ledger_payments').values(row).execute()
  if (isCredited(row.status)) await post(tx, row, row.amount, now, ledger)
  return toPayment(row)
}

async function change(
  tx: Writer,
  known: Row,
  status: PaymentStatus,
  now: number,
  ledger: PaymentsDeps['ledger'],
): Promise<Payment> {
  if (known.status === status) return toPayment(known)
  if (!mayFollow(known.status, status))
    throw new PaymentStatusError(`a payment that is ${known.status} does not become ${status}`)
  const changed = { ...known, status, changes: known.changes + 1, updatedAt: now }
  const { numUpdatedRows } = await tx
    .updateTable('ledger_payments')
    .set({ status, changes: changed.changes, updatedAt: now })
    .where('sid', '=', known.sid)
    .where('changes', '=', known.changes)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new PaymentStatusError('the payment is being changed')
  const sign = Number(isCredited(status)) - Number(isCredited(known.status))
  if (sign !== 0) await post(tx, changed, sign * known.amount, now, ledger)
  return toPayment(changed)
}

async function post(
  tx: Writer,
  row: Row,
  amount: number,
  now: number,
  ledger: PaymentsDeps['ledger'],
): Promise<void> {
  await ledger.post(tx, {
    key: `payment:${row.sid}:${row.changes}`,
    accountSid: row.accountSid,
    billedSid: row.accountSid,
    cause: 'payment',
    kind: row.status,
    reference: row.sid,
    amount,
    description: `Payment ${row.transactionId}`,
    at: now,
  })
}

function toPayment(row: Row): Payment {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    amount: row.amount,
    payerEmail: row.payerEmail,
    transactionId: row.transactionId,
    status: row.status,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
