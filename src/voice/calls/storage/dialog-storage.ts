import type { Reader, Writer } from '../../../platform/database/database.js'
import type { DialogFacts } from '../../telephony/dialog-facts.js'

/**
 * Stores a dialog in the commit that makes its call answered, so that another process can end it.
 */
export async function keepDialog(tx: Writer, callSid: string, dialog: DialogFacts): Promise<void> {
  const facts = JSON.stringify(dialog)
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
  return row === undefined ? '' : factsIn(row).peer.address
}

export async function dropDialogs(tx: Writer, callSids: readonly string[]): Promise<void> {
  await tx.deleteFrom('live_dialogs').where('call_sid', 'in', callSids).execute()
}

/** Reads the dialogs of the node's calls that have ended; each is still owed a BYE. */
export async function orphanedDialogs(read: Reader, node: string, limit: number) {
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
    dialog: factsIn(row),
  }))
}

function factsIn({ facts }: { readonly facts: string }): DialogFacts {
  return JSON.parse(facts) as DialogFacts // as `keepDialog` wrote it
}
