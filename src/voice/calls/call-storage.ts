import type { Reader, Writer } from '../../platform/database/database.js'
import type { CallStatus } from './call-machine.js'
import { type CallRecord, toCallRecord, toCallRow } from './call-record.js'

export async function insertCall(tx: Writer, call: CallRecord): Promise<void> {
  await tx.insertInto('calls').values(toCallRow(call)).execute()
}

export async function saveCall(tx: Writer, call: CallRecord): Promise<void> {
  const { sid, created_at: _createdAt, account_sid: _accountSid, ...columns } = toCallRow(call)
  await tx.updateTable('calls').set(columns).where('sid', '=', sid).execute()
}

export async function findCall(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<CallRecord | undefined> {
  const row = await read
    .selectFrom('calls')
    .selectAll()
    .where('sid', '=', sid)
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : toCallRecord(row)
}

export async function deleteCall(tx: Writer, accountSid: string, sid: string): Promise<void> {
  await tx
    .deleteFrom('calls')
    .where('sid', '=', sid)
    .where('account_sid', '=', accountSid)
    .execute()
  await tx.deleteFrom('call_events').where('call_sid', '=', sid).execute()
}

export interface CallFilter {
  readonly to?: string
  readonly from?: string
  readonly status?: CallStatus
  readonly parentCallSid?: string
  /** Half-open ranges of epoch milliseconds. */
  readonly startedFrom?: number
  readonly startedBefore?: number
  readonly endedFrom?: number
  readonly endedBefore?: number
}

export interface CallPage {
  readonly calls: readonly CallRecord[]
  readonly total: number
}

/** Newest first. */
export async function listCalls(
  read: Reader,
  accountSid: string,
  filter: CallFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<CallPage> {
  const matching = filtered(read, accountSid, filter)
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('sid', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const { total } = await matching
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { calls: rows.map(toCallRecord), total }
}

/** One query builder for the page and for its total, so that they cannot disagree. */
function filtered(read: Reader, accountSid: string, filter: CallFilter) {
  const wanted = [
    ['to_address', '=', filter.to],
    ['from_address', '=', filter.from],
    ['status', '=', filter.status],
    ['parent_call_sid', '=', filter.parentCallSid],
    ['started_at', '>=', filter.startedFrom],
    ['started_at', '<', filter.startedBefore],
    ['ended_at', '>=', filter.endedFrom],
    ['ended_at', '<', filter.endedBefore],
  ] as const
  let query = read.selectFrom('calls').where('account_sid', '=', accountSid)
  for (const [column, operator, value] of wanted) {
    if (value !== undefined) query = query.where(column, operator, value)
  }
  return query
}

/** Calls that a killed process left without an end. */
export async function unfinishedCalls(read: Reader, limit: number): Promise<readonly CallRecord[]> {
  const rows = await read
    .selectFrom('calls')
    .selectAll()
    .where('ended_at', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(toCallRecord)
}
