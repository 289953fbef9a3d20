/** What is due of the number provider's orders and returns: the rows, and the claims of them. */
import { claimOf, isUnclaimed } from '../../platform/database/claims.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'

/** The tables whose rows are due at `nextAt` and worked on under a claim. */
type DueTable = 'number_orders' | 'number_give_backs'

export interface DueRequest {
  /** Rows are due that were put off until this time or before. */
  readonly now: number
  /** The time by which claims end. */
  readonly wallNow: number
  readonly limit: number
}

/** The time at which the next row is due that nobody works on. */
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
 * Claims each of the keys in a commit of its own. `claim` sets the columns that it is given on the
 * row and resolves with it, or with undefined when another node has the row.
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
