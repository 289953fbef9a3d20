import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import type { CallbackOutbox } from '../../../platform/outbox/callback.js'
import type { CallRecord } from '../../model/call-record.js'
import { type CallbackRow, callbacksOf, detectionCallbacksOf } from '../actor/step-record.js'
import type { CallRecorder } from '../call-recorder.js'
import type { CallCharging } from '../charging/call-charging.js'
import { saveCall, unfinishedCalls } from '../storage/call-storage.js'

const BATCH = 500

export interface RecoverCallsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly recorder: Pick<CallRecorder, 'paramsOf'>
  readonly outbox: CallbackOutbox
  readonly charging: Pick<CallCharging, 'priced' | 'settle' | 'lastRenewal'>
  /** The name that the calls bear; this node's own unless given. */
  readonly node?: string | undefined
}

/**
 * Ends the calls that a killed process left behind, each with one terminal status and its callback:
 * `completed` when it had been answered, else `failed`. The duration reaches from the answer to the
 * last stored change, or to the last renewal of its reservation; the call is charged for that time. A
 * call whose detection had no verdict is answered by `unknown`. Recordings are recovered before this,
 * and no call is taken before it resolves. The calls bear this node's name afterwards. It resolves with
 * their number.
 */
export async function recoverCalls(deps: RecoverCallsDeps): Promise<number> {
  const { db, node = db.node } = deps
  const hand = { by: node, to: db.node }
  let count = 0
  for (;;) {
    const orphans = await unfinishedCalls(db.read, node, BATCH)
    if (orphans.length === 0) return count
    count += orphans.length
    const ends = await Promise.all(orphans.map((orphan) => endOf(orphan, deps)))
    await deps.outbox.commit(async (tx, enqueue) => {
      for (const { call, rows } of ends) {
        if (!(await saveCall(tx, call, hand))) continue
        await deps.charging.settle(tx, call)
        await enqueue(rows)
      }
    })
  }
}

interface OrphanEnd {
  readonly call: CallRecord
  readonly rows: readonly CallbackRow[]
}

async function endOf(
  orphan: CallRecord,
  { db, clock, recorder, charging }: RecoverCallsDeps,
): Promise<OrphanEnd> {
  const now = clock.now()
  const renewedAt = (await charging.lastRenewal(db.read, orphan)) ?? 0
  const { detected, rows } = undetected(orphan)
  const upUntil = Math.max(detected.updatedAt, renewedAt)
  const call = charging.priced(ended(detected, upUntil, now))
  const recorded = await recorder.paramsOf(call)
  const completed = callbacksOf(call, [{ type: 'notify', event: 'completed' }], now).map((row) => ({
    ...row,
    params: [...row.params, ...recorded],
  }))
  const callbackCount = call.callbackCount + completed.length
  return { call: { ...call, callbackCount }, rows: [...rows, ...completed] }
}

/**
 * Sets `unknown` on an answered call whose detection had no verdict, with the callback that is due.
 */
function undetected(call: CallRecord): {
  readonly detected: CallRecord
  readonly rows: readonly CallbackRow[]
} {
  const { answeredAt, answeredBy, plan } = call
  if (plan.machineDetection === undefined || answeredAt === undefined || answeredBy !== undefined)
    return { detected: call, rows: [] }
  const detected = { ...call, answeredBy: 'unknown' } as const
  const durationMs = Math.max(0, call.updatedAt - answeredAt)
  const verdict = { answeredBy: 'unknown', durationMs }
  return { detected, rows: detectionCallbacksOf(detected, verdict) }
}

function ended(call: CallRecord, upUntil: number, now: number): CallRecord {
  const { answeredAt } = call
  return {
    ...call,
    status: answeredAt === undefined ? 'failed' : 'completed',
    endedAt: now,
    durationSeconds:
      answeredAt === undefined ? 0 : Math.max(0, Math.round((upUntil - answeredAt) / 1_000)),
    sipStatus: answeredAt === undefined ? 503 : 200,
    endReason: 'the server was restarted',
    updatedAt: now,
  }
}
