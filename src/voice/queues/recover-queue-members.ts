import type { Database, Reader } from '../../platform/database/database.js'
import type { CallbackOutbox, NewCallback } from '../../platform/outbox/callback.js'
import type { CallRecord } from '../model/call-record.js'
import { queueCallback } from './queue-callback.js'
import { resultParams } from './queue-params.js'
import { type StoredMember, toStoredMember } from './queue-record.js'

const BATCH = 500

type FindCall = (accountSid: string, sid: string) => Promise<CallRecord | undefined>

/**
 * Removes the callers that a killed process left in queues, and reports a result to their actions. Must run
 * before the ends of their calls are reported. Resolves with the number of callers.
 */
export async function recoverQueueMembers(deps: {
  readonly db: Database
  readonly outbox: CallbackOutbox
  readonly findCall: FindCall
  /** The node whose callers are recovered; by default this one. */
  readonly node?: string | undefined
}): Promise<number> {
  const { db, outbox, findCall, node = db.node } = deps
  let finished = 0
  for (;;) {
    const rows = await leftMembers(db.read, node)
    if (rows.length === 0) return finished
    const callbacks = new Map<string, readonly NewCallback[]>()
    for (const row of rows)
      callbacks.set(row.callSid, await callbacksOf(toStoredMember(row), findCall))
    await outbox.commit(async (tx, enqueue) => {
      const removed = await tx
        .deleteFrom('queue_members')
        .where('callSid', 'in', [...callbacks.keys()])
        .returning('callSid')
        .execute()
      await enqueue(removed.flatMap(({ callSid: sid }) => callbacks.get(sid) ?? []))
    })
    finished += rows.length
  }
}

/** Returns the stored members, except those of other nodes' calls. */
function leftMembers(read: Reader, node: string) {
  return read
    .selectFrom('queue_members')
    .selectAll()
    .where((each) =>
      each.not(
        each.exists(
          each
            .selectFrom('calls')
            .select('calls.sid')
            .whereRef('calls.sid', '=', 'queue_members.callSid')
            .where('calls.node', '<>', node),
        ),
      ),
    )
    .limit(BATCH)
    .execute()
}

async function callbacksOf(
  member: StoredMember,
  findCall: FindCall,
): Promise<readonly NewCallback[]> {
  const { action, accountSid, callSid, queueSid, enqueuedAt, bridgedAt } = member
  const call = await findCall(accountSid, callSid)
  if (action === undefined || call === undefined) return []
  const result = bridgedAt === undefined ? 'system-error' : 'bridged'
  const waitedMs = (bridgedAt ?? call.updatedAt) - enqueuedAt
  const params = resultParams(result, { queueSid, waitedMs })
  return [queueCallback(call, action, params, 'ended')]
}
