/**
 * Emergency records: the dispatch address of each number. A record is valid while the account that created it
 * holds the number.
 */
import { findHeldNumber, type HeldNumber } from '../numbers/held-numbers.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import type { CivicAddress, PostalAddress } from './civic-address.js'
import type { KeptAddress } from './emergency-addresses.js'
import { EmergencyProviderError } from './emergency-provider.js'
import { isProvisioned } from './provisions.js'
import type { EmergencyRecordsTable } from './tables.js'

export interface EmergencyRecord extends PostalAddress {
  /** The number in E.164. */
  readonly number: string
  readonly callerName: string
  readonly addressId: number
  readonly location: CivicAddress
  /** Name of the provider that validated the address. */
  readonly source: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** The account's number; undefined when the account does not hold it. */
export async function ownNumber(
  read: Reader,
  accountSid: string,
  e164: string,
): Promise<HeldNumber | undefined> {
  const held = await findHeldNumber(read, e164)
  return held?.accountSid === accountSid ? held : undefined
}

/** The record of a number of the account; undefined when it has none. */
export async function findEmergencyRecord(
  read: Reader,
  accountSid: string,
  e164: string,
): Promise<EmergencyRecord | undefined> {
  const row = await recordsOf(read, accountSid)
    .where('emergency_records.phoneNumber', '=', e164)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** The record of the account's number with that sid; undefined when it has none. */
export async function findEmergencyRecordBySid(
  read: Reader,
  accountSid: string,
  numberSid: string,
): Promise<EmergencyRecord | undefined> {
  const row = await recordsOf(read, accountSid)
    .where('emergency_records.numberSid', '=', numberSid)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** The records of an account, sorted by number. */
export async function listEmergencyRecords(
  read: Reader,
  accountSid: string,
): Promise<readonly EmergencyRecord[]> {
  const rows = await recordsOf(read, accountSid).orderBy('emergency_records.phoneNumber').execute()
  return rows.map(toRecord)
}

/** The listed sids whose number has a record of its present holder. */
export async function numbersWithRecord(
  read: Reader,
  numberSids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (numberSids.length === 0) return new Set()
  const rows = await read
    .selectFrom('emergency_records')
    .innerJoin('phone_numbers', 'phone_numbers.sid', 'emergency_records.numberSid')
    .select('emergency_records.numberSid')
    .whereRef('emergency_records.accountSid', '=', 'phone_numbers.accountSid')
    .where('emergency_records.numberSid', 'in', numberSids)
    .execute()
  return new Set(rows.map((row) => row.numberSid))
}

/**
 * Stores or replaces the record of a number; undefined when the account no longer holds it. Throws
 * EmergencyProviderError when the provider no longer has the record.
 */
export async function putEmergencyRecord(
  { db, clock }: { readonly db: Database; readonly clock: Pick<Clock, 'now'> },
  { accountSid, e164 }: Pick<HeldNumber, 'accountSid' | 'e164'>,
  callerName: string,
  address: KeptAddress,
): Promise<EmergencyRecord | undefined> {
  const now = clock.now()
  const changed = {
    accountSid,
    phoneNumber: e164,
    callerName,
    addressId: address.addressId,
    address1: address.address1,
    address2: address.address2,
    city: address.city,
    state: address.state,
    zip: address.zip,
    location: JSON.stringify(address.location),
    source: address.source,
    updatedAt: now,
  }
  return await db.write(async (tx) => {
    const held = await ownNumber(tx, accountSid, e164)
    if (held === undefined) return undefined
    if (!(await isProvisioned(tx, e164)))
      throw new EmergencyProviderError(
        `the provider has no record of ${e164}: repeat the request`,
        {
          isRetryable: true,
        },
      )
    const row = await tx
      .insertInto('emergency_records')
      .values({ numberSid: held.sid, ...changed, createdAt: now })
      .onConflict((known) => known.column('numberSid').doUpdateSet(changed))
      .returningAll()
      .executeTakeFirstOrThrow()
    return toRecord(row)
  })
}

/** Removes the record of a number; false when it has none. */
export async function removeEmergencyRecord(
  db: Database,
  accountSid: string,
  e164: string,
): Promise<boolean> {
  const { numDeletedRows } = await db.write((tx) =>
    tx
      .deleteFrom('emergency_records')
      .where('phoneNumber', '=', e164)
      .where('accountSid', '=', accountSid)
      .executeTakeFirst(),
  )
  return numDeletedRows > 0n
}

/** Only records of numbers that the account still holds. */
function recordsOf(read: Reader, accountSid: string) {
  return read
    .selectFrom('emergency_records')
    .innerJoin('phone_numbers', 'phone_numbers.sid', 'emergency_records.numberSid')
    .selectAll('emergency_records')
    .where('emergency_records.accountSid', '=', accountSid)
    .where('phone_numbers.accountSid', '=', accountSid)
}

function toRecord(row: Selectable<EmergencyRecordsTable>): EmergencyRecord {
  return {
    number: row.phoneNumber,
    callerName: row.callerName,
    addressId: row.addressId,
    address1: row.address1,
    address2: row.address2,
    city: row.city,
    state: row.state,
    zip: row.zip,
    location: JSON.parse(row.location) as CivicAddress, // written by `putEmergencyRecord`
    source: row.source,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
