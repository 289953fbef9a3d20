import type { Reader, Writer } from '../../../platform/database/database.js'
import { UNFINISHED_RECORDING } from '../../recordings/recording-record.js'

/** Resolves with the names of the nodes that have unfinished calls. */
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
 * Moves a node's unfinished calls to another node, and ended calls with an unfinished recording, stream,
 * queue membership or dialog. Related rows follow their call.
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

/** Moves the dialogs that still need a BYE to the node that will send it. */
export async function handOverDialogs(tx: Writer, from: string, to: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ node: to })
    .where('node', '=', from)
    .where('sid', 'in', (left) => left.selectFrom('live_dialogs').select('callSid'))
    .execute()
}
