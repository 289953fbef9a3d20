/** Recomputes balances from their entries, to find wrong ones. */
import type { Clock } from '../platform/clock.js'
import type { Database, Reader } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import type { Logger } from '../platform/log.js'

/**
 * A balance that differs from the sum of its entries, or its reserved part from the sum of its reservations.
 */
export interface BalanceFault {
  readonly accountSid: string
  readonly amount: number
  readonly sumOfEntries: number
  readonly reserved: number
  readonly sumOfReservations: number
}

const MAX_FAULTS = 100

/** Finds wrong balances, at most 100. Each statement reads one snapshot of the database. */
export async function checkLedger(read: Reader): Promise<readonly BalanceFault[]> {
  const rows = await read
    .selectFrom('ledger_balances as balance')
    .fullJoin(
      read
        .selectFrom('ledger_entries')
        .select([
          'accountSid',
          (each) => each.cast<number>(each.fn.sum('amount'), 'bigint').as('total'),
        ])
        .groupBy('accountSid')
        .as('entries'),
      (join) => join.onRef('entries.accountSid', '=', 'balance.accountSid'),
    )
    .leftJoin(
      read
        .selectFrom('ledger_reservations')
        .select([
          'accountSid',
          (each) => each.cast<number>(each.fn.sum('amount'), 'bigint').as('total'),
        ])
        .groupBy('accountSid')
        .as('held'),
      (join) => join.onRef('held.accountSid', '=', 'balance.accountSid'),
    )
    .select((each) => [
      each.fn.coalesce('balance.accountSid', 'entries.accountSid').as('accountSid'),
      each.fn.coalesce('balance.amount', each.lit(0)).as('amount'),
      each.fn.coalesce('entries.total', each.lit(0)).as('sumOfEntries'),
      each.fn.coalesce('balance.reserved', each.lit(0)).as('reserved'),
      each.fn.coalesce('held.total', each.lit(0)).as('sumOfReservations'),
    ])
    .where((where) =>
      where.or([
        where('balance.accountSid', 'is', null),
        where('balance.amount', '<>', where.fn.coalesce('entries.total', where.lit(0))),
        where('balance.reserved', '<>', where.fn.coalesce('held.total', where.lit(0))),
      ]),
    )
    .limit(MAX_FAULTS)
    .execute()
  return rows.map((row) => ({ ...row, accountSid: row.accountSid ?? '' }))
}

const CHECK_EVERY_MS = 3_600_000

export interface LedgerWatch extends AsyncDisposable {
  /** Number of wrong balances that the last check found. */
  readonly faults: number
}

/** Checks the ledger once an hour, and logs an error for each wrong balance. */
export function watchLedger({
  db,
  clock,
  log,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}): LedgerWatch {
  let faults = 0
  let nextAt = clock.monotonic() + CHECK_EVERY_MS
  const look = async (): Promise<boolean> => {
    if (clock.monotonic() < nextAt) return false
    nextAt = clock.monotonic() + CHECK_EVERY_MS
    const found = await checkLedger(db.read)
    faults = found.length
    for (const fault of found) log.error({ ...fault }, 'a balance is not the sum of its entries')
    return false
  }
  const loop = startRetention({ name: 'check of the ledger', log, removeSome: look })
  return {
    get faults() {
      return faults
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  }
}
