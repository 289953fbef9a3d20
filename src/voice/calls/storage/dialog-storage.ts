import { compiledOnce, readOnce } from '../../../platform/database/compiled-once.js'
import type { Reader, Writer } from '../../../platform/database/database.js'
import type { InviteFacts, LegFacts } from '../../telephony/dialog-facts.js'

/** Stores a call's dialogs and INVITEs, so that another process can end them. */
export async function storeLegFacts(tx: Writer, callSid: string, leg: LegFacts): Promise<void> {
  const facts = JSON.stringify(leg)
  await putFacts(tx, { callSid, facts })
}

/** Stores what recovery needs to refuse the INVITE of a call; nothing for a loopback call. */
export async function storeInvite(
  tx: Writer,
  callSid: string,
  invite: InviteFacts | undefined,
): Promise<void> {
  if (invite !== undefined)
    await storeLegFacts(tx, callSid, { dialog: undefined, invites: [invite] })
}

const putFacts = compiledOnce<Readonly<Record<'callSid' | 'facts', string>>>(
  ['callSid', 'facts'],
  (db, { callSid, facts }) =>
    db
      .insertInto('live_dialogs')
      .values({ callSid, facts })
      .onConflict((conflict) => conflict.column('callSid').doUpdateSet({ facts })),
)

/** Resolves with the network address of an answered call's peer; empty when none is stored. */
export async function findPeerIp(read: Reader, callSid: string): Promise<string> {
  const [row] = await readFacts(read, { callSid })
  return row === undefined ? '' : (factsIn(row).dialog?.peer.address ?? '')
}

type OfCall = Readonly<Record<'callSid', string>>

const readFacts = readOnce<OfCall, { facts: string }>(['callSid'], (db, { callSid }) =>
  db.selectFrom('live_dialogs').select('facts').where('callSid', '=', callSid),
)

/** Deletes a call's stored dialogs and INVITEs. */
export async function deleteLegFacts(tx: Writer, callSid: string): Promise<void> {
  await deleteFacts(tx, { callSid })
}

const deleteFacts = compiledOnce<OfCall>(['callSid'], (db, { callSid }) =>
  db.deleteFrom('live_dialogs').where('callSid', '=', callSid),
)

/** Resolves with the dialogs and INVITEs that the node's ended calls still have. */
export async function orphanedLegs(read: Reader, node: string, limit: number) {
  const rows = await read
    .selectFrom('live_dialogs')
    .innerJoin('calls', 'calls.sid', 'live_dialogs.callSid')
    .select(['callSid', 'facts', 'endedAt'])
    .where('node', '=', node)
    .where('endedAt', 'is not', null)
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    callSid: row.callSid,
    endedAt: row.endedAt ?? 0,
    leg: factsIn(row),
  }))
}

function factsIn({ facts }: { readonly facts: string }): LegFacts {
  return JSON.parse(facts) as LegFacts // as `storeLegFacts` wrote it
}
