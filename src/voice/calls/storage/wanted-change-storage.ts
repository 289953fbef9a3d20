import type { Reader, Writer } from '../../../platform/database/database.js'
import type { UpdateCall, WantedOutcome } from '../../model/call-change.js'

/** A change of a call that another node than its own was asked for. */
export interface WantedChange {
  readonly id: string
  readonly callSid: string
  readonly change: UpdateCall
  /** Epoch milliseconds. */
  readonly askedAt: number
}

export async function insertWantedChange(tx: Writer, wanted: WantedChange): Promise<void> {
  await tx
    .insertInto('wanted_changes')
    .values({
      id: wanted.id,
      call_sid: wanted.callSid,
      change: JSON.stringify(wanted.change),
      asked_at: wanted.askedAt,
      outcome: null,
    })
    .execute()
}

/** Reads the changes that nobody has made yet of calls of the node, oldest first, at most `limit`. */
export async function openWantedChanges(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly WantedChange[]> {
  const rows = await read
    .selectFrom('wanted_changes')
    .innerJoin('calls', 'calls.sid', 'wanted_changes.call_sid')
    .select(['id', 'call_sid', 'change', 'asked_at'])
    .where('outcome', 'is', null)
    .where('calls.node', '=', node)
    .orderBy('asked_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    callSid: row.call_sid,
    // The node that was asked has written it.
    change: JSON.parse(row.change) as UpdateCall,
    askedAt: row.asked_at,
  }))
}

export async function storeOutcome(tx: Writer, id: string, outcome: WantedOutcome): Promise<void> {
  await tx.updateTable('wanted_changes').set({ outcome }).where('id', '=', id).execute()
}

/** The outcome of a change; undefined while nobody has made it. */
export async function wantedOutcome(read: Reader, id: string): Promise<WantedOutcome | undefined> {
  const row = await read
    .selectFrom('wanted_changes')
    .select('outcome')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.outcome ?? undefined
}

export async function dropWantedChange(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('wanted_changes').where('id', '=', id).execute()
}

/** Drops the outcomes that nobody waits for any more: of changes asked for before `before`. */
export async function dropOldOutcomes(tx: Writer, before: number): Promise<void> {
  await tx
    .deleteFrom('wanted_changes')
    .where('outcome', 'is not', null)
    .where('asked_at', '<', before)
    .execute()
}
