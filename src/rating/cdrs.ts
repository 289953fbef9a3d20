/** Call detail records: one per call, written in the transaction that ends it. */

import { dollarText } from '../ledger/money.js'
import { compiledOnce } from '../platform/database/compiled-once.js'
import type { Reader, Writer } from '../platform/database/database.js'
import { cutPage, type UncountedPage } from '../platform/database/newest-first.js'
import type { KeysetPage } from '../platform/database/oldest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { sha256Hex } from '../platform/secrets.js'
import { wellFormed } from '../platform/text.js'
import { MICROS_PER_DOLLAR } from './rate.js'
import type { CdrsTable } from './tables.js'

export type Cdr = Selectable<CdrsTable>

/** A record in the form of the account API. */
export interface CdrView {
  /** The account's username, and the start in seconds since the epoch. */
  readonly key: readonly [string, string]
  /** 40 hex digits. */
  readonly id: string
  readonly value: {
    readonly ip: string
    /** The caller name, URL-encoded. */
    readonly cn: string
    /** Rate per minute in dollars; empty for a call without a rate. */
    readonly nr: string
    readonly dst: string
    /** Seconds between answer and end. */
    readonly dur: string
    /** Billed amount in dollars. */
    readonly ba: string
    readonly cid: string
  }
}

const insertRow = compiledOnce<Cdr>(
  [
    ...(['id', 'callSid', 'accountSid', 'billedSid', 'direction', 'status', 'ip'] as const),
    ...(['callerName', 'caller', 'destination', 'durationSeconds', 'billedSeconds'] as const),
    ...(['perMinute', 'amount', 'startedAt', 'endedAt', 'codec', 'packetsReceived'] as const),
    ...(['packetsSent', 'lossPercent', 'jitterMs', 'mos'] as const),
  ],
  (db, values) =>
    db
      .insertInto('cdrs')
      .values(values)
      .onConflict((known) => known.column('id').doNothing()),
)

/** Stores the record of a call; false when the call has one already. */
export async function insertCdr(tx: Writer, cdr: Omit<Cdr, 'id'>): Promise<boolean> {
  const { changed } = await insertRow(tx, { ...cdr, id: cdrIdOf(cdr.callSid) })
  return changed > 0
}

/** The id of a call's record: the first 160 bits of the sid's SHA-256. */
export function cdrIdOf(callSid: string): string {
  return sha256Hex(callSid).slice(0, 40)
}

/** Records of calls that started between two times, given in either order; newest first. */
export async function listCdrs(
  read: Reader,
  accountSid: string,
  bounds: readonly [number, number],
  { limit, after }: KeysetPage,
): Promise<UncountedPage<Cdr>> {
  let matching = read
    .selectFrom('cdrs')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .where('startedAt', '>=', Math.min(...bounds))
    .where('startedAt', '<=', Math.max(...bounds))
  if (after !== undefined)
    matching = matching.where((row) =>
      row(row.refTuple('startedAt', 'id'), '<', row.tuple(after.at, after.sid)),
    )
  const found = await matching
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return cutPage(found, limit, ({ startedAt, id }) => ({ at: startedAt, sid: id }))
}

export function viewOfCdr(cdr: Cdr, username: string): CdrView {
  return {
    key: [username, String(Math.floor(cdr.startedAt / 1_000))],
    id: cdr.id,
    value: {
      ip: cdr.ip,
      // A lone surrogate cannot be URL-encoded.
      cn: encodeURIComponent(wellFormed(cdr.callerName)),
      nr: cdr.perMinute === null ? '' : String(cdr.perMinute / MICROS_PER_DOLLAR),
      dst: cdr.destination,
      dur: String(cdr.durationSeconds),
      ba: dollarText(cdr.amount, 6),
      cid: cdr.caller,
    },
  }
}
