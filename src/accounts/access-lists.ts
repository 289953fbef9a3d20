import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { rangeProblem } from './public-range.js'

/** An entry that was not added or removed, and why. */
export interface FailedEntry {
  readonly cidr: string
  readonly reason: string
}

export interface ListChange {
  /** The entries that were added or removed. */
  readonly done: readonly string[]
  readonly failed: readonly FailedEntry[]
}

/** The lists of addresses from which SIP requests of accounts are admitted. */
export interface AccessLists {
  /** Lists the entries of an account, the oldest first. */
  of(accountSid: string): Promise<readonly string[]>
  /** Adds the entries that can be added, and says why the others cannot. */
  add(accountSid: string, cidrs: readonly string[]): Promise<ListChange>
  remove(accountSid: string, cidrs: readonly string[]): Promise<ListChange>
}

/** Enough for every trunk of an account, too few to slow its calls. */
const MAX_ENTRIES = 1_000

export function createAccessLists({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Clock
}): AccessLists {
  return {
    of: async (accountSid) => {
      const rows = await db.read
        .selectFrom('account_acl')
        .select('cidr')
        .where('account_sid', '=', accountSid)
        .orderBy('created_at')
        .orderBy('cidr')
        .execute()
      return rows.map(({ cidr }) => cidr)
    },
    add: async (accountSid, cidrs) => {
      const now = clock.now()
      return await changed(db, cidrs, async (tx, cidr) => {
        const problem = rangeProblem(cidr)
        if (problem !== undefined) return problem
        if ((await countOf(tx, accountSid)) >= MAX_ENTRIES)
          return `the list has ${MAX_ENTRIES} entries already`
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('account_acl')
          .values({ account_sid: accountSid, cidr, created_at: now })
          .onConflict((known) => known.columns(['account_sid', 'cidr']).doNothing())
          .executeTakeFirst()
        return Number(numInsertedOrUpdatedRows) > 0 ? undefined : 'it is on the list already'
      })
    },
    remove: (accountSid, cidrs) =>
      changed(db, cidrs, async (tx, cidr) => {
        const { numDeletedRows } = await tx
          .deleteFrom('account_acl')
          .where('account_sid', '=', accountSid)
          .where('cidr', '=', cidr)
          .executeTakeFirst()
        return Number(numDeletedRows) > 0 ? undefined : 'it is not on the list'
      }),
  }
}

/** Applies a change to each entry, all in one transaction; it says why it did nothing. */
async function changed(
  db: Database,
  cidrs: readonly string[],
  apply: (tx: Writer, cidr: string) => Promise<string | undefined>,
): Promise<ListChange> {
  return await db.write(async (tx) => {
    const done: string[] = []
    const failed: FailedEntry[] = []
    for (const cidr of cidrs) {
      const reason = await apply(tx, cidr)
      if (reason === undefined) done.push(cidr)
      else failed.push({ cidr, reason })
    }
    return { done, failed }
  })
}

async function countOf(tx: Writer, accountSid: string): Promise<number> {
  const { count } = await tx
    .selectFrom('account_acl')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_sid', '=', accountSid)
    .executeTakeFirstOrThrow()
  return count
}
