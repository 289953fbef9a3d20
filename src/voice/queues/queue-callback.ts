/** Returns the callback that reports a result to the action when no document of the call can. Pure. */
import type { NewCallback } from '../../platform/outbox/callback.js'
import type { QueueRequest } from '../markup/queue-entry.js'
import type { CallRecord } from '../model/call-record.js'
import { standardParams } from '../model/callback-params.js'

export function queueCallback(
  call: CallRecord,
  action: QueueRequest,
  params: Readonly<Record<string, string>>,
  /** The state of the call; `ended` also means that it is about to end. */
  state: 'goes-on' | 'ended',
): NewCallback {
  const status = state === 'ended' && call.endedAt === undefined ? 'completed' : call.status
  return {
    stream: call.sid,
    accountSid: call.accountSid,
    kind: 'queue',
    ...action,
    params: [...standardParams(call, status), ...Object.entries(params)],
  }
}
