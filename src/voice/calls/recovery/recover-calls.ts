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
  /** The node whose calls are recovered; by default this one. */
  readonly node?: string | undefined
}

/**
 * Ends the calls that a killed process left, each with one final status and its callback: `completed` if it
 * was answered, else `failed`. The duration is from the answer to the last stored change or the last renewal
 * of its reservation; that time is charged. A detection without a verdict becomes `unknown`. Recordings must
 * be recovered before, and no call is accepted until this resolves. The calls then belong to this node.
 * Resolves with their number.
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

/** Sets `unknown` on an answered call whose detection had no verdict, and returns the callback for it. */
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
