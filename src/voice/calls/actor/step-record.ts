/** Applies one step of the call machine to the stored call and its callbacks. Pure. */

import { assertNever } from '../../../platform/errors.js'
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { CallRecord } from '../../model/call-record.js'
import {
  detectionParams,
  statusCallbackParams,
  type WireParams,
} from '../../model/callback-params.js'
import { type Call, type CallEffect, type CallEvent, statusOf } from './call-machine.js'

export interface CallbackRow {
  readonly stream: string
  readonly accountSid: string
  readonly kind: 'status' | 'machine-detection' | 'action'
  readonly url: string
  readonly method: WebhookMethod
  readonly params: WireParams
}

export function applyStep(
  record: CallRecord,
  call: Call,
  event: CallEvent,
  now: number,
): CallRecord {
  const next = { ...record, status: statusOf(call) }
  switch (event.type) {
    case 'dial-started':
      return { ...next, startedAt: now, queueMs: Math.round(event.queuedMs) }
    case 'answered':
      return call.state === 'in-progress' ? { ...next, answeredAt: now } : next
    case 'ended':
    case 'hangup-requested':
      return call.state === 'ended' ? endedRecord(next, call, now) : next
    case 'progress':
    case 'declined':
      return next
    default:
      return assertNever(event)
  }
}

function endedRecord(
  record: CallRecord,
  call: Extract<Call, { state: 'ended' }>,
  now: number,
): CallRecord {
  return {
    ...record,
    queueMs: queueMsOf(record, now),
    endedAt: now,
    durationSeconds: Math.round(call.talkedMs / 1_000),
    sipStatus: call.sipStatus,
    endReason: call.reason,
  }
}

/** Returns the time that a call was queued, ms; up to `now` while it is queued. */
export function queueMsOf(
  {
    startedAt,
    endedAt,
    createdAt,
    queueMs,
  }: Pick<CallRecord, 'startedAt' | 'endedAt' | 'createdAt' | 'queueMs'>,
  now: number,
): number {
  const isWaiting = startedAt === undefined && endedAt === undefined
  return isWaiting ? Math.max(0, now - createdAt) : queueMs
}

/** Returns the callback rows of a step: one for each subscribed notification, numbered in order. */
export function callbacksOf(
  record: CallRecord,
  effects: readonly CallEffect[],
  now: number,
): readonly CallbackRow[] {
  const { statusCallback } = record.plan
  if (statusCallback === undefined) return []
  return effects
    .flatMap((effect) => (effect.type === 'notify' ? [effect.event] : []))
    .filter((event) => statusCallback.events.includes(event))
    .map((event, index) => ({
      stream: record.sid,
      accountSid: record.accountSid,
      kind: 'status',
      url: statusCallback.url,
      method: statusCallback.method,
      params: statusCallbackParams(record, event, record.callbackCount + index, new Date(now)),
    }))
}

/**
 * Returns the callback row of a detection; none when no callback was requested. `corrected` is the earlier
 * verdict that this one replaces.
 */
export function detectionCallbacksOf(
  record: CallRecord,
  verdict: { readonly answeredBy: string; readonly durationMs: number },
  corrected?: string,
): readonly CallbackRow[] {
  const callback = record.plan.machineDetection?.callback
  if (callback === undefined) return []
  return [
    {
      stream: record.sid,
      accountSid: record.accountSid,
      kind: 'machine-detection',
      ...callback,
      params: detectionParams(record, verdict, corrected),
    },
  ]
}
