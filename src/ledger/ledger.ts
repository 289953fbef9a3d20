/**
 * The ledger: append-only entries and each account's balance. An entry and its change of the balance are one
 * transaction; the key of an entry is unique in the database, so that nothing is charged or credited twice.
 */
import { billedAccount } from '../accounts/billed-account.js'
import type { Reader, Writer } from '../platform/database/database.js'
import { AdapterError } from '../platform/errors.js'
import type { Channel, Delivery } from '../platform/outbox/channel.js'
import { nextAttemptAt, RETRY_SCHEDULE } from '../platform/outbox/retry-schedule.js'
import type { Cause } from './cause.js'

export interface NewEntry {
  /** Unique name of the charged or credited item; a second entry with that key is not stored. */
  readonly key: string
  /** The account that caused the entry. */
  readonly accountSid: string
  /** The paying account, if already known; by default the one billed at present. */
  readonly billedSid?: string
  readonly cause: Cause
  readonly kind?: string
  readonly reference: string
  /** In 1/10,000 dollar: positive for a credit, negative for a charge. */
  readonly amount: number
  readonly description: string
  readonly at: number
}

export interface Balance {
  /** The sum of the entries, in 1/10,000 dollar. */
  readonly amount: number
  /** Amount reserved for calls in progress. */
  readonly reserved: number
}

export interface Ledger {
  /** Stores an entry in the transaction of its cause; false when its key exists already. */
  post(tx: Writer, entry: NewEntry): Promise<boolean>
}

export interface LedgerDeps {
  /**
   * Low-balance threshold in 1/10,000 dollar; undefined for no notification. The account is notified when the
   * balance falls below it, and again only after the balance has risen to it.
   */
  readonly thresholdOf: (read: Reader, accountSid: string) => Promise<number | undefined>
  /** Stores the low-balance notification in the transaction of the entry. */
  readonly onLow: (tx: Writer, low: LowBalance) => Promise<void>
}

/** An entry brought an account's balance below its threshold; amounts in 1/10,000 dollar. */
export interface LowBalance {
  readonly accountSid: string
  /** The key of that entry: each crossing is notified once. */
  readonly entryKey: string
  readonly amount: number
  readonly threshold: number
  readonly at: number
}

/** Sends the notification of a low balance. Rejects with AdapterError. */
export type TellLowBalance = (low: LowBalance, token: string, signal: AbortSignal) => Promise<void>

export function createLedger({ onLow, thresholdOf }: LedgerDeps): Ledger {
  return {
    post: async (tx, entry) => {
      const billedSid = entry.billedSid ?? (await billedAccount(tx, entry.accountSid))
      if (!(await insertEntry(tx, billedSid, entry))) return false
      const balance = await addToBalance(tx, billedSid, entry.amount, entry.at)
      const threshold = await thresholdOf(tx, billedSid)
      const isLow = threshold !== undefined && balance.amount < threshold
      if (isLow === (balance.isLow === 1)) return true
      await markLow(tx, billedSid, isLow)
      if (isLow)
        await onLow(tx, {
          accountSid: billedSid,
          entryKey: entry.key,
          amount: balance.amount,
          threshold,
          at: entry.at,
        })
      return true
    },
  }
}

/** The balance of an account; zero without entries. */
export async function balanceOf(read: Reader, accountSid: string): Promise<Balance> {
  const row = await read
    .selectFrom('ledger_balances')
    .select(['amount', 'reserved'])
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return row ?? { amount: 0, reserved: 0 }
}

async function insertEntry(tx: Writer, billedSid: string, entry: NewEntry): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('ledger_entries')
    .values({
      entryKey: entry.key,
      accountSid: billedSid,
      originSid: entry.accountSid,
      cause: entry.cause,
      kind: entry.kind ?? '',
      reference: entry.reference,
      amount: entry.amount,
      description: entry.description,
      createdAt: entry.at,
    })
    .onConflict((known) => known.column('entryKey').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

function addToBalance(tx: Writer, accountSid: string, amount: number, at: number) {
  return tx
    .insertInto('ledger_balances')
    .values({
      accountSid,
      amount,
      reserved: 0,
      isLow: 0,
      updatedAt: at,
    })
    .onConflict((known) =>
      known.column('accountSid').doUpdateSet((set) => ({
        amount: set('ledger_balances.amount', '+', amount),
        updatedAt: at,
      })),
    )
    .returning(['amount', 'isLow'])
    .executeTakeFirstOrThrow()
}

async function markLow(tx: Writer, accountSid: string, isLow: boolean): Promise<void> {
  await tx
    .updateTable('ledger_balances')
    .set({ isLow: isLow ? 1 : 0 })
    .where('accountSid', '=', accountSid)
    .execute()
}

/**
 * Delivers low-balance notifications. After a crash `tell` may be called again for a delivered one, with the
 * same `token`.
 */
export function lowBalanceChannel(tell: TellLowBalance): Channel<LowBalance> {
  return {
    name: 'low-balance',
    toRow: (low) => ({
      stream: `low-balance:${low.accountSid}`,
      accountSid: low.accountSid,
      kind: 'low-balance',
      payload: low,
      idempotencyToken: low.entryKey,
    }),
    deliver: async (row, signal): Promise<Delivery> => {
      try {
        await tell(row.payload as LowBalance, row.idempotencyToken, signal) // written by `toRow`
        return { type: 'delivered', status: undefined, error: undefined }
      } catch (error) {
        if (signal.aborted) return { type: 'aborted' }
        if (!(error instanceof AdapterError)) throw error
        const type = error.isRetryable ? 'failed' : 'refused'
        return { type, status: undefined, error: error.message }
      }
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(RETRY_SCHEDULE, row, now, random),
  }
}
