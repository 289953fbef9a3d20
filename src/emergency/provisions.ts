/** Tracks the records that the emergency provider may have, and removes those that no record here needs. */
import { systemClock } from '../platform/clock.js'
import { claimOf, isFreeFor, isUnclaimed, UNCLAIMED } from '../platform/database/claims.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'

/** Time limit for sending a record to the provider and storing it, ms. */
export const PROVISION_MS = 300_000
/** Maximum rows per query. */
const READ_AT_ONCE = 500

/**
 * Records that a number's record is about to be sent to the provider. False while its former record is being
 * removed there, since the removal might arrive after the new record.
 */
export async function beginProvision(db: Database, number: string, now: number): Promise<boolean> {
  const begun = { nextAt: now + PROVISION_MS, attempts: 0, ...UNCLAIMED }
  return await db.write(async (tx) => {
    const claimed = await tx
      .selectFrom('emergency_provisions')
      .select('phoneNumber')
      .where('phoneNumber', '=', number)
      .where((eb) => eb.not(isUnclaimed(systemClock.now())))
      .executeTakeFirst()
    if (claimed !== undefined) return false
    await tx
      .insertInto('emergency_provisions')
      .values({ phoneNumber: number, ...begun })
      .onConflict((known) => known.column('phoneNumber').doUpdateSet(begun))
      .execute()
    return true
  })
}

/** True unless the removal of the number's record from the provider has begun. */
export async function isProvisioned(tx: Writer, number: string): Promise<boolean> {
  const row = await tx
    .selectFrom('emergency_provisions')
    .select('phoneNumber')
    .where('phoneNumber', '=', number)
    .where(isUnclaimed(systemClock.now()))
    .executeTakeFirst()
  return row !== undefined
}

export interface Provision {
  readonly number: string
  readonly attempts: number
}

/** Numbers after `after` for which the provider may have a record, sorted. */
export async function provisionsAfter(
  read: Reader,
  after: string,
): Promise<
  readonly { readonly number: string; readonly nextAt: number; readonly isKept: boolean }[]
> {
  const rows = await read
    .selectFrom('emergency_provisions as provision')
    .leftJoin('emergency_records as record', 'record.phoneNumber', 'provision.phoneNumber')
    .select(['provision.phoneNumber', 'provision.nextAt', 'record.numberSid'])
    .where('provision.phoneNumber', '>', after)
    .orderBy('provision.phoneNumber')
    .limit(READ_AT_ONCE)
    .execute()
  return rows.map((row) => ({
    number: row.phoneNumber,
    nextAt: row.nextAt,
    isKept: row.numberSid !== null,
  }))
}

/** Claims a number's provision for removal; undefined when a record, a request or another node needs it. */
export async function claimProvision(
  db: Database,
  number: string,
  now: number,
): Promise<Provision | undefined> {
  const wallNow = systemClock.now()
  const row = await db.write((tx) =>
    tx
      .updateTable('emergency_provisions')
      .set(claimOf(db.node, wallNow))
      .where('phoneNumber', '=', number)
      .where('nextAt', '<=', now)
      .where(isFreeFor(db.node, wallNow))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('emergency_records')
              .select('emergency_records.numberSid')
              .where('emergency_records.phoneNumber', '=', number),
          ),
        ),
      )
      .returning('attempts')
      .executeTakeFirst(),
  )
  return row && { number, attempts: row.attempts }
}

/** Deletes the row of a number without a record at the provider. */
export async function endProvision(db: Database, { number }: Provision): Promise<void> {
  await db.write((tx) =>
    tx.deleteFrom('emergency_provisions').where('phoneNumber', '=', number).execute(),
  )
}

/** Schedules the next attempt of a removal. */
export async function putOffProvision(
  db: Database,
  { number, attempts }: Provision,
  nextAt: number,
): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('emergency_provisions')
      .set({ nextAt, attempts: attempts + 1, ...UNCLAIMED })
      .where('phoneNumber', '=', number)
      .execute(),
  )
}

/** Releases a dead process's claims at once. */
export async function releaseProvisions(tx: Writer, node: string): Promise<void> {
  await tx
    .updateTable('emergency_provisions')
    .set(UNCLAIMED)
    .where('claimedBy', '=', node)
    .execute()
}
