import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { ActorDeps } from './call-actor.js'
import type { CallRecord } from './call-record.js'
import { saveCall, unfinishedCalls } from './call-storage.js'
import { callbacksOf } from './step-record.js'

const BATCH = 500

/**
 * Ends the calls that a killed process left behind, each with its one terminal status and callback:
 * `completed` when it had been answered, else `failed`. Their duration is what is known of it.
 */
export async function finishOrphans(deps: {
  readonly db: Database
  readonly clock: Clock
  readonly enqueueCallbacks: ActorDeps['enqueueCallbacks']
}): Promise<number> {
  const { db, clock, enqueueCallbacks } = deps
  let finished = 0
  for (;;) {
    const orphans = await unfinishedCalls(db.read, BATCH)
    if (orphans.length === 0) return finished
    await db.write(async (tx) => {
      for (const orphan of orphans) {
        const call = ended(orphan, clock.now())
        const rows = callbacksOf(call, [{ type: 'notify', event: 'completed' }], clock.now())
        await saveCall(tx, { ...call, callbackCount: call.callbackCount + rows.length })
        await enqueueCallbacks(tx, rows)
      }
    })
    finished += orphans.length
  }
}

function ended(call: CallRecord, now: number): CallRecord {
  const { answeredAt } = call
  return {
    ...call,
    status: answeredAt === undefined ? 'failed' : 'completed',
    endedAt: now,
    durationSeconds:
      answeredAt === undefined ? 0 : Math.max(0, Math.round((call.updatedAt - answeredAt) / 1_000)),
    sipStatus: answeredAt === undefined ? 503 : 200,
    endReason: 'the server was restarted',
    updatedAt: now,
  }
}
