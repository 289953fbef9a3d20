/**
 * The callers of queues who wait on other nodes that share the database. Each node has the line of its
 * own callers, and connects those; what the API tells of a queue, and its limit, are about all of them.
 */
import type { Database, Reader } from '../../platform/database/database.js'
import type { ExpressionBuilder, Tables } from '../../platform/database/tables.js'

export interface WaitingElsewhere {
  readonly callSid: string
  /** Epoch milliseconds. */
  readonly enqueuedAt: number
}

/** How many callers wait elsewhere, and the average time of their arrival in epoch milliseconds. */
export interface CrowdElsewhere {
  readonly size: number
  readonly arrivedAt: number
}

type Asked = Pick<Database, 'engine' | 'node'> & { readonly read: Reader }

export const NOBODY_ELSEWHERE: CrowdElsewhere = { size: 0, arrivedAt: 0 }

/** The crowds by the sid of their queue; a queue without one is left out. */
export async function crowdsElsewhere(
  { engine, node, read }: Asked,
  queueSids: readonly string[],
): Promise<ReadonlyMap<string, CrowdElsewhere>> {
  // An SQLite database has one node.
  if (engine === 'sqlite' || queueSids.length === 0) return new Map()
  const rows = await read
    .selectFrom('queue_members')
    .select('queueSid')
    .select((each) => each.fn.countAll<number>().as('size'))
    .select((each) => each.cast<number>(each.fn.avg('enqueuedAt'), 'bigint').as('arrivedAt'))
    .where('queueSid', 'in', queueSids)
    .where((each) => waitsElsewhere(each, node))
    .groupBy('queueSid')
    .execute()
  return new Map(rows.map(({ queueSid: sid, size, arrivedAt }) => [sid, { size, arrivedAt }]))
}

/** The callers of one queue, the longest wait first. */
export async function callersElsewhere(
  { engine, node, read }: Asked,
  queueSid: string,
): Promise<readonly WaitingElsewhere[]> {
  if (engine === 'sqlite') return []
  return await read
    .selectFrom('queue_members')
    .select(['callSid', 'enqueuedAt'])
    .where('queueSid', '=', queueSid)
    .where((each) => waitsElsewhere(each, node))
    .orderBy('enqueuedAt')
    .orderBy('callSid')
    .execute()
}

function waitsElsewhere(each: ExpressionBuilder<Tables, 'queue_members'>, node: string) {
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
