import type { DocumentRequest } from '../../markup/document.js'
import type { CallRecord } from '../../model/call-record.js'
import { standardParams } from '../../model/callback-params.js'
import type { ActorDeps } from '../actor/call-actor.js'

/**
 * Sends a verb's action request for a call that has ended, as a callback: the answer changes
 * nothing.
 */
export async function tellAfterwards(
  call: CallRecord,
  { url, method, params }: DocumentRequest,
  { outbox }: Pick<ActorDeps, 'outbox'>,
): Promise<void> {
  // The end of the call may not be stored yet.
  const status = call.endedAt === undefined ? 'completed' : call.status
  const row = {
    stream: call.sid,
    accountSid: call.accountSid,
    kind: 'action',
    url,
    method,
    params: [...standardParams(call, status), ...Object.entries(params)],
  } as const
  await outbox.commit((_tx, enqueue) => enqueue([row]))
}
