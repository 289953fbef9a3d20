/**
 * Reservations: the money that calls under way may spend. The database grants them, so that several
 * calls, on several nodes, never spend the same dollar.
 */

import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import { DomainError } from '../platform/errors.js'
import type { Logger } from '../platform/log.js'

/** The reservations that one pass releases. */
const AT_ONCE = 100

/** The balance does not cover the amount. Nothing was stored. */
export class InsufficientBalanceError extends DomainError {
  override readonly name = 'InsufficientBalanceError'
  readonly code = 'insufficient-balance'
}

export interface Reservation {
  readonly reference: string
  readonly accountSid: string
  readonly amount: number
  /** Time at which the reservation was made or last renewed. */
  readonly updatedAt: number
}

export interface NewReservation {
  /** The sid of the call. */
  readonly reference: string
  /** The account that pays. */
  readonly accountSid: string
  /**
   * The amount to reserve when this much is available; zero when that is not enough for anything.
   */
  readonly fit: (available: number) => number
  readonly now: number
  readonly expiresAt: number
}

/** Reserves money. Throws InsufficientBalanceError when the balance does not cover it. */
export async function reserve(tx: Writer, wanted: NewReservation): Promise<void> {
  const { reference, accountSid, now } = wanted
  const amount = wanted.fit(await availableOf(tx, accountSid))
  if (amount === 0 || !(await take(tx, accountSid, amount)))
    throw new InsufficientBalanceError('The balance of the account is too low for this call.')
  await tx
    .insertInto('ledger_reservations')
    .values({
      reference,
      accountSid,
      amount,
      createdAt: now,
      updatedAt: now,
      expiresAt: wanted.expiresAt,
    })
    .execute()
}

/**
 * Renews a reservation and resolves with its amount now. `fit` gets the amount that the reservation
 * can have altogether. Undefined: there is none any more.
 */
export async function renew(
  tx: Writer,
  wanted: Omit<NewReservation, 'accountSid'>,
): Promise<number | undefined> {
  const { reference, now, expiresAt } = wanted
  // From here on the call cannot be settled, nor renewed by another, until this is committed.
  const held = await tx
    .updateTable('ledger_reservations')
    .set({ updatedAt: now, expiresAt })
    .where('reference', '=', reference)
    .returning(['accountSid', 'amount'])
    .executeTakeFirst()
  if (held === undefined) return undefined
  const possible = held.amount + (await availableOf(tx, held.accountSid))
  const more = wanted.fit(possible) - held.amount
  if (more <= 0 || !(await take(tx, held.accountSid, more))) return held.amount
  await tx
    .updateTable('ledger_reservations')
    .set((set) => ({ amount: set('amount', '+', more) }))
    .where('reference', '=', reference)
    .execute()
  return held.amount + more
}

/** Gives the reserved money back. It does nothing when there is no such reservation. */
export async function release(tx: Writer, reference: string): Promise<void> {
  const held = await tx
    .deleteFrom('ledger_reservations')
    .where('reference', '=', reference)
    .returning(['accountSid', 'amount'])
    .executeTakeFirst()
  if (held === undefined) return
  await tx
    .updateTable('ledger_balances')
    .set((set) => ({ reserved: set('reserved', '-', held.amount) }))
    .where('accountSid', '=', held.accountSid)
    .execute()
}

/** Releases reservations whose calls can only have been lost with their node; at most `limit`. */
export async function releaseExpired(tx: Writer, now: number, limit: number): Promise<number> {
  const expired = await tx
    .selectFrom('ledger_reservations')
    .select('reference')
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
  for (const { reference } of expired) await release(tx, reference)
  return expired.length
}

export async function findReservation(
  read: Reader,
  reference: string,
): Promise<Reservation | undefined> {
  const row = await read
    .selectFrom('ledger_reservations')
    .selectAll()
    .where('reference', '=', reference)
    .executeTakeFirst()
  return (
    row && {
      reference,
      accountSid: row.accountSid,
      amount: row.amount,
      updatedAt: row.updatedAt,
    }
  )
}

/**
 * The amount that an account can reserve. The balance stays as it is until the transaction ends: an
 * update of it makes others wait.
 */
async function availableOf(tx: Writer, accountSid: string): Promise<number> {
  const balance = await tx
    .updateTable('ledger_balances')
    .set((set) => ({ reserved: set.ref('reserved') }))
    .where('accountSid', '=', accountSid)
    .returning(['amount', 'reserved'])
    .executeTakeFirst()
  return balance === undefined ? 0 : Math.max(0, balance.amount - balance.reserved)
}

/** Takes money from what is available; false when another call has taken it meanwhile. */
async function take(tx: Writer, accountSid: string, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_balances')
    .set((set) => ({ reserved: set('reserved', '+', amount) }))
    .where('accountSid', '=', accountSid)
    .where((where) => where(where('amount', '-', where.ref('reserved')), '>=', amount))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Releases the reservations of nodes that do not come back, once a minute until disposed. */
export function startReservationSweep({
  db,
  clock,
  log,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}): AsyncDisposable {
  return startRetention({
    name: 'reservations of lost calls',
    log,
    removeSome: async () => {
      const now = clock.now()
      const released = await db.write((tx) => releaseExpired(tx, now, AT_ONCE))
      if (released > 0) log.warn({ released }, 'released reservations of lost calls')
      return released === AT_ONCE
    },
  })
}
