/** Due orders and returns of the number provider, and their claims. */
import { claimOf, isUnclaimed } from '../../platform/database/claims.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'

/** Tables whose rows are due at `nextAt` and processed under a claim. */
type DueTable = 'number_orders' | 'number_give_backs'

export interface DueRequest {
  /** Rows are due whose `nextAt` is not later. */
  readonly now: number
  /** Wall clock for the expiry of claims. */
  readonly wallNow: number
  readonly limit: number
}

/** Returns the due time of the next unclaimed row. */
export async function nextDueAt(
  read: Reader,
  table: DueTable,
  wallNow: number,
): Promise<number | undefined> {
  const row = await read
    .selectFrom(table)
    .select('nextAt')
    .where('nextAt', 'is not', null)
    .where(isUnclaimed(wallNow))
    .orderBy('nextAt')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAt ?? undefined
}

/**
 * Claims each key in its own commit. `claim` sets the given columns and resolves with the row, or with
 * undefined when another node has it.
 */
export async function claimEach<Key, Row>(
  db: Database,
  wallNow: number,
  keys: readonly Key[],
  claim: (tx: Writer, key: Key, columns: ReturnType<typeof claimOf>) => Promise<Row | undefined>,
): Promise<readonly Row[]> {
  const claimed: Row[] = []
  for (const key of keys) {
    const row = await db.write((tx) => claim(tx, key, claimOf(db.node, wallNow)))
    if (row !== undefined) claimed.push(row)
  }
  return claimed
}
