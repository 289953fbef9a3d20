import type { Reader, Writer } from '../../../platform/database/database.js'

/** Stores the wish that the node of the call ends it. */
export async function wantEnd(tx: Writer, callSid: string): Promise<void> {
  await tx
    .insertInto('wanted_ends')
    .values({ call_sid: callSid })
    .onConflict((conflict) => conflict.column('call_sid').doNothing())
    .execute()
}

/** Reads which calls of the node another one wants ended, at most `limit`. */
export async function wantedEnds(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('wanted_ends')
    .innerJoin('calls', 'calls.sid', 'wanted_ends.call_sid')
    .select('call_sid')
    .where('node', '=', node)
    .limit(limit)
    .execute()
  return rows.map(({ call_sid: callSid }) => callSid)
}

export async function dropWantedEnds(tx: Writer, callSids: readonly string[]): Promise<void> {
  await tx.deleteFrom('wanted_ends').where('call_sid', 'in', callSids).execute()
}
