import { readOnce } from '../../../platform/database/compiled-once.js'
import type { Reader, Writer } from '../../../platform/database/database.js'
import type { Selectable } from '../../../platform/database/tables.js'
import { type CallRecord, toCallRecord, toCallRow } from '../../model/call-record.js'
import type { CallsTable } from '../../model/tables.js'

/** Stores a new call of the node. */
export async function insertCall(tx: Writer, call: CallRecord, node: string): Promise<void> {
  await tx
    .insertInto('calls')
    .values({ ...toCallRow(call), node })
    .execute()
}

/**
 * Stores a call that bears the name of this node, or `left.by`; false when it bears another's: that
 * node was given the call, and reports its end. `left.to` is the name that it bears from now on.
 */
export async function saveCall(
  tx: Writer,
  call: CallRecord,
  { by, to }: { readonly by: string; readonly to: string },
): Promise<boolean> {
  const { sid, created_at: _createdAt, account_sid: _accountSid, ...columns } = toCallRow(call)
  const { numUpdatedRows } = await tx
    .updateTable('calls')
    .set({ ...columns, node: to })
    .where('sid', '=', sid)
    .where('node', '=', by)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findCall(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<CallRecord | undefined> {
  const [row] = await readCall(read, { accountSid, sid })
  return row === undefined ? undefined : toCallRecord(row)
}

type OfAccount = Readonly<Record<'accountSid' | 'sid', string>>

const readCall = readOnce<OfAccount, Selectable<CallsTable>>(['accountSid', 'sid'], (db, given) =>
  db
    .selectFrom('calls')
    .selectAll()
    .where('sid', '=', given.sid)
    .where('account_sid', '=', given.accountSid),
)

export async function deleteCall(tx: Writer, accountSid: string, sid: string): Promise<void> {
  await tx
    .deleteFrom('calls')
    .where('sid', '=', sid)
    .where('account_sid', '=', accountSid)
    .execute()
  await tx.deleteFrom('call_events').where('call_sid', '=', sid).execute()
  await tx.deleteFrom('streams').where('call_sid', '=', sid).execute()
  await tx.deleteFrom('wanted_changes').where('call_sid', '=', sid).execute()
}

/** Reads at most `limit` calls of the node that have no end. */
export async function unfinishedCalls(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly CallRecord[]> {
  const rows = await read
    .selectFrom('calls')
    .selectAll()
    .where('node', '=', node)
    .where('ended_at', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(toCallRecord)
}
