/** Ports with a due request to the losing carrier; only one node sends each request. */
import { claimOf, isFreeFor, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database, Writer } from '../../platform/database/database.js'

export interface DuePort {
  readonly sid: string
  readonly dueAt: number
}

/** The longest-waiting port, due or not, that no other node has claimed. */
export async function nextDuePort(
  { read, node }: Database,
  wallNow: number,
): Promise<DuePort | undefined> {
  const row = await read
    .selectFrom('ports')
    .select(['sid', 'nextAt'])
    .where('nextAt', 'is not', null)
    .where(isFreeFor(node, wallNow))
    .orderBy('nextAt')
    .orderBy('sid')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAt == null ? undefined : { sid: row.sid, dueAt: row.nextAt }
}

/** Claims a port for this node; false when another node has claimed or changed it. */
export async function claimPort(db: Database, due: DuePort, wallNow: number): Promise<boolean> {
  return await db.write(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('ports')
      .set(claimOf(db.node, wallNow))
      .where('sid', '=', due.sid)
      .where('nextAt', '=', due.dueAt)
      .where(isFreeFor(db.node, wallNow))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  })
}

/** Releases a dead node's claims on ports. */
export async function releasePorts(tx: Writer, node: string): Promise<void> {
  await tx.updateTable('ports').set(UNCLAIMED).where('claimedBy', '=', node).execute()
}

/** Schedules the next request, or none before the next change; a port changed since is left as it is. */
export async function askAgain(
  db: Database,
  { sid, changes }: { readonly sid: string; readonly changes: number },
  nextAt: number | undefined,
): Promise<void> {
  await db.write(async (tx) => {
    await tx
      .updateTable('ports')
      .set({ nextAt: nextAt ?? null, claimedBy: null, claimedUntil: null })
      .where('sid', '=', sid)
      .where('changes', '=', changes)
      .execute()
  })
}
