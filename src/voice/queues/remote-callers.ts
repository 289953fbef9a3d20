/**
 * The callers of queues who wait on other nodes that share the database. Each node connects only its own
 * callers; the API's view of a queue and its size limit count the callers of all nodes.
 */
import type { Database, Reader } from '../../platform/database/database.js'
import type { ExpressionBuilder, Tables } from '../../platform/database/tables.js'

export interface RemoteCaller {
  readonly callSid: string
  /** Epoch milliseconds. */
  readonly enqueuedAt: number
}

/** The number of remote callers, and their average arrival time in epoch milliseconds. */
export interface RemoteCallerCount {
  readonly size: number
  readonly arrivedAt: number
}

type Asked = Pick<Database, 'engine' | 'node'> & { readonly read: Reader }

export const NO_REMOTE_CALLERS: RemoteCallerCount = { size: 0, arrivedAt: 0 }

/** Returns the remote callers by the sid of their queue; queues without any are omitted. */
export async function countRemoteCallers(
  { engine, node, read }: Asked,
  queueSids: readonly string[],
): Promise<ReadonlyMap<string, RemoteCallerCount>> {
  // An SQLite database has only one node.
  if (engine === 'sqlite' || queueSids.length === 0) return new Map()
  const rows = await read
    .selectFrom('queue_members')
    .select('queueSid')
    .select((each) => each.fn.countAll<number>().as('size'))
    .select((each) => each.cast<number>(each.fn.avg('enqueuedAt'), 'bigint').as('arrivedAt'))
    .where('queueSid', 'in', queueSids)
    .where((each) => waitsOnOtherNode(each, node))
    .groupBy('queueSid')
    .execute()
  return new Map(rows.map(({ queueSid: sid, size, arrivedAt }) => [sid, { size, arrivedAt }]))
}

/** Returns the remote callers of one queue, longest wait first. */
export async function remoteCallers(
  { engine, node, read }: Asked,
  queueSid: string,
): Promise<readonly RemoteCaller[]> {
  if (engine === 'sqlite') return []
  return await read
    .selectFrom('queue_members')
    .select(['callSid', 'enqueuedAt'])
    .where('queueSid', '=', queueSid)
    .where((each) => waitsOnOtherNode(each, node))
    .orderBy('enqueuedAt')
    .orderBy('callSid')
    .execute()
}

function waitsOnOtherNode(each: ExpressionBuilder<Tables, 'queue_members'>, node: string) {
  return each.and([
    each('bridgedAt', 'is', null),
    each.exists(
      each
        .selectFrom('calls')
        .select('calls.sid')
        .whereRef('calls.sid', '=', 'queue_members.callSid')
        .where('calls.node', '<>', node)
        .where('calls.endedAt', 'is', null),
    ),
  ])
}
