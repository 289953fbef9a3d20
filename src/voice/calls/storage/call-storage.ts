import { compiledOnce, readOnce } from '../../../platform/database/compiled-once.js'
import type { Database, Reader, Writer } from '../../../platform/database/database.js'
import type { Selectable, Written } from '../../../platform/database/tables.js'
import { type CallRecord, toCallRecord, toCallRow } from '../../model/call-record.js'
import type { CallsTable } from '../../model/tables.js'

/** Stores a new call of the node. */
export async function insertCall(tx: Writer, call: CallRecord, node: string): Promise<void> {
  await insertRow(tx, { ...toCallRow(call), node })
}

type Row = Selectable<CallsTable>
type WrittenRow = Written<CallsTable>

const COLUMNS: readonly (keyof Row)[] = [
  ...(['sid', 'accountSid', 'node', 'parentCallSid', 'direction', 'toAddress'] as const),
  ...(['fromAddress', 'callerName', 'forwardedFrom', 'phoneNumberSid', 'status'] as const),
  ...(['answeredBy', 'startedAt', 'answeredAt', 'endedAt', 'durationSeconds'] as const),
  ...(['queueMs', 'sipCallId', 'sipHeaders', 'sipDomain', 'sipSourceIp'] as const),
  ...(['sipDomainSid', 'sipUsername', 'callerIdentity', 'sipStatus', 'endReason'] as const),
  ...(['plan', 'callbackCount', 'terms', 'price', 'createdAt', 'updatedAt'] as const),
]

const insertRow = compiledOnce<WrittenRow>(COLUMNS, (db, values) =>
  db.insertInto('calls').values(values),
)

/**
 * Stores a call that belongs to node `by`, and assigns it to node `to`. Resolves to false when it belongs to
 * another node, which then reports its end.
 */
export async function saveCall(
  tx: Writer,
  call: CallRecord,
  { by, to }: { readonly by: string; readonly to: string },
): Promise<boolean> {
  const { changed } = await updateRow(tx, { ...toCallRow(call), node: to, by })
  return changed > 0
}

const updateRow = compiledOnce<WrittenRow & { readonly by: string }>(
  [...COLUMNS, 'by'],
  (db, values) => {
    // The account and the creation time never change.
    const { sid, by, createdAt: _createdAt, accountSid: _accountSid, ...columns } = values
    return db.updateTable('calls').set(columns).where('sid', '=', sid).where('node', '=', by)
  },
)

export async function findCall(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<CallRecord | undefined> {
  const [row] = await readCall(read, { accountSid, sid })
  return row === undefined ? undefined : toCallRecord(row)
}

type OfAccount = Readonly<Record<'accountSid' | 'sid', string>>

const readCall = readOnce<OfAccount, Row>(['accountSid', 'sid'], (db, given) =>
  db
    .selectFrom('calls')
    .selectAll()
    .where('sid', '=', given.sid)
    .where('accountSid', '=', given.accountSid),
)

/**
 * Resolves with the name of the other node that runs the call; undefined for a call of this node, an ended
 * call and an unknown call.
 */
export async function otherNodeOfCall(
  { engine, node, read }: Pick<Database, 'engine' | 'node' | 'read'>,
  { accountSid, sid }: OfAccount,
): Promise<string | undefined> {
  if (engine === 'sqlite') return undefined
  const row = await read
    .selectFrom('calls')
    .select('node')
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .where('endedAt', 'is', null)
    .where('node', '<>', node)
    .executeTakeFirst()
  return row?.node
}

export async function deleteCall(tx: Writer, accountSid: string, sid: string): Promise<void> {
  await tx.deleteFrom('calls').where('sid', '=', sid).where('accountSid', '=', accountSid).execute()
  await tx.deleteFrom('call_events').where('callSid', '=', sid).execute()
  await tx.deleteFrom('streams').where('callSid', '=', sid).execute()
}

/** Resolves with up to `limit` unfinished calls of the node. */
export async function unfinishedCalls(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly CallRecord[]> {
  const rows = await read
    .selectFrom('calls')
    .selectAll()
    .where('node', '=', node)
    .where('endedAt', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(toCallRecord)
}
