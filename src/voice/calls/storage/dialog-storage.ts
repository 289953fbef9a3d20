import type { Reader, Writer } from '../../../platform/database/database.js'
import type { LegFacts } from '../../telephony/dialog-facts.js'

/** Stores what a call has on signaling servers, so that another process can end it. */
export async function keepLegFacts(tx: Writer, callSid: string, leg: LegFacts): Promise<void> {
  const facts = JSON.stringify(leg)
  await tx
    .insertInto('live_dialogs')
    .values({ call_sid: callSid, facts })
    .onConflict((conflict) => conflict.column('call_sid').doUpdateSet({ facts }))
    .execute()
}

/** The network address of the peer of a call that was answered; empty when none is stored. */
export async function findPeerIp(read: Reader, callSid: string): Promise<string> {
  const row = await read
    .selectFrom('live_dialogs')
    .select('facts')
    .where('call_sid', '=', callSid)
    .executeTakeFirst()
  return row === undefined ? '' : (factsIn(row).dialog?.peer.address ?? '')
}

export async function dropDialogs(tx: Writer, callSids: readonly string[]): Promise<void> {
  await tx.deleteFrom('live_dialogs').where('call_sid', 'in', callSids).execute()
}

/** Reads what the node's ended calls still have on signaling servers. */
export async function orphanedLegs(read: Reader, node: string, limit: number) {
  const rows = await read
    .selectFrom('live_dialogs')
    .innerJoin('calls', 'calls.sid', 'live_dialogs.call_sid')
    .select(['call_sid', 'facts', 'ended_at'])
    .where('node', '=', node)
    .where('ended_at', 'is not', null)
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    callSid: row.call_sid,
    endedAt: row.ended_at ?? 0,
    leg: factsIn(row),
  }))
}

function factsIn({ facts }: { readonly facts: string }): LegFacts {
  return JSON.parse(facts) as LegFacts // as `keepLegFacts` wrote it
}
