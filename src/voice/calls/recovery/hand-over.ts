import type { Reader, Writer } from '../../../platform/database/database.js'
import { UNFINISHED_RECORDING } from '../../recordings/recording-record.js'

/** The names of the nodes that have calls without an end. */
export async function nodesWithCalls(read: Reader): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('calls')
    .select('node')
    .distinct()
    .where('endedAt', 'is', null)
    .execute()
  return rows.map(({ node }) => node)
}

/**
 * Gives the calls of a node that are not over to another name, and ended ones of which a recording, a
 * place in a queue or a dialog is left. What belongs to a call follows it.
 */
export async function handOverCalls(tx: Writer, from: string, to: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ node: to })
    .where('node', '=', from)
    .where('endedAt', 'is', null)
    .execute()
  await tx
    .updateTable('calls')
    .set({ node: to })
    .where('node', '=', from)
    .where('sid', 'in', (left) =>
      left
        .selectFrom('live_dialogs')
        .select('callSid')
        .union(left.selectFrom('queue_members').select('callSid'))
        .union(left.selectFrom('streams').select('callSid').where('status', '=', 'in-progress'))
        .union(
          left
            .selectFrom('recordings')
            .select('callSid')
            .where('status', 'in', UNFINISHED_RECORDING),
        ),
    )
    .execute()
}

/** Gives the dialogs that are owed a BYE to the node that sends it. */
export async function handOverDialogs(tx: Writer, from: string, to: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ node: to })
    .where('node', '=', from)
    .where('sid', 'in', (left) => left.selectFrom('live_dialogs').select('callSid'))
    .execute()
}
