/**
 * Reservations: amounts that calls in progress may spend. The database grants them, so that calls on several
 * nodes never spend the same amount twice.
 */

import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import { DomainError } from '../platform/errors.js'
import type { Logger } from '../platform/log.js'

/** Maximum number of reservations released per pass. */
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
  /** The paying account. */
  readonly accountSid: string
  /** Returns the amount to reserve, given the available one; zero when that is too little. */
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
 * Renews a reservation and resolves with its new amount. `fit` gets the total amount that the reservation can
 * have. Undefined when the reservation no longer exists.
 */
export async function renew(
  tx: Writer,
  wanted: Omit<NewReservation, 'accountSid'>,
): Promise<number | undefined> {
  const { reference, now, expiresAt } = wanted
  // Locks the reservation: until the commit it cannot be settled, nor renewed by another transaction.
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

/** Releases a reservation; no effect when it does not exist. */
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

/** Releases expired reservations, left by nodes that failed; at most `limit`. */
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

/** The amount that an account can reserve. An update locks the balance until the transaction ends. */
async function availableOf(tx: Writer, accountSid: string): Promise<number> {
  const balance = await tx
    .updateTable('ledger_balances')
    .set((set) => ({ reserved: set.ref('reserved') }))
    .where('accountSid', '=', accountSid)
    .returning(['amount', 'reserved'])
    .executeTakeFirst()
  return balance === undefined ? 0 : Math.max(0, balance.amount - balance.reserved)
}

/** Reserves a part of the available amount; false when another call has reserved it meanwhile. */
async function take(tx: Writer, accountSid: string, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_balances')
    .set((set) => ({ reserved: set('reserved', '+', amount) }))
    .where('accountSid', '=', accountSid)
    .where((where) => where(where('amount', '-', where.ref('reserved')), '>=', amount))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Releases expired reservations of failed nodes, once a minute until disposed. */
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
