/** The archive queue: one row per recording that is, or will be, in a customer's bucket. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { literal } from '../../../platform/database/literal.js'
import type { Selectable } from '../../../platform/database/tables.js'
import type { RecordingArchiveTable } from './tables.js'

/** A literal, because the query planner needs the state to choose the index of pending rows. */
const PENDING = literal('pending')

export type ArchiveRow = Selectable<RecordingArchiveTable>

interface Archived {
  readonly sid: string
  readonly accountSid: string
  readonly callSid: string
}

export async function insertUpload(
  tx: Writer,
  { sid, accountSid, callSid }: Archived,
  node: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto('recording_archive')
    .values({
      sid,
      node,
      accountSid,
      callSid,
      ...{ action: 'upload', state: 'pending', url: null, region: null },
      ...{ attempts: 0, nextAttemptAt: now, errorCode: null, createdAt: now },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes a row that was never uploaded; turns any other row into a removal from the bucket. */
export async function queueDeletion(tx: Writer, sid: string, now: number): Promise<void> {
  await tx.deleteFrom('recording_archive').where('sid', '=', sid).where('url', 'is', null).execute()
  await tx
    .updateTable('recording_archive')
    .set({ action: 'delete', state: 'pending', attempts: 0 })
    .set({ nextAttemptAt: now, errorCode: null, createdAt: now })
    .where('sid', '=', sid)
    .execute()
}

/**
 * Returns the row of this node that has waited longest, due or not, of accounts that are not busy.
 * Only the node that recorded the file has it, so no other node takes its row.
 */
export async function nextPending(
  read: Reader,
  node: string,
  busyAccounts: readonly string[],
): Promise<ArchiveRow | undefined> {
  let query = read
    .selectFrom('recording_archive')
    .selectAll()
    .where('node', '=', node)
    .where('state', '=', PENDING)
  if (busyAccounts.length > 0) query = query.where('accountSid', 'not in', [...busyAccounts])
  return await query.orderBy('nextAttemptAt').limit(1).executeTakeFirst()
}

/**
 * Stores the object's location before the upload, so that a concurrent deletion finds it. Returns
 * false when the recording was deleted.
 */
export async function noteTarget(
  tx: Writer,
  sid: string,
  target: { readonly url: string; readonly region: string },
): Promise<boolean> {
  const changed = await tx
    .updateTable('recording_archive')
    .set(target)
    .where('sid', '=', sid)
    .where('action', '=', 'upload')
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Marks the row as done; does nothing if its action has changed meanwhile. */
export async function settleRow(
  tx: Writer,
  { sid, action }: ArchiveRow,
  change: Partial<Pick<ArchiveRow, 'state' | 'attempts' | 'nextAttemptAt' | 'errorCode'>>,
): Promise<void> {
  await tx
    .updateTable('recording_archive')
    .set(change)
    .where('sid', '=', sid)
    .where('action', '=', action)
    .execute()
}

export async function forgetRow(tx: Writer, { sid, action }: ArchiveRow): Promise<void> {
  await tx
    .deleteFrom('recording_archive')
    .where('sid', '=', sid)
    .where('action', '=', action)
    .execute()
}
