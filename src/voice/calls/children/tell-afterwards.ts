import type { DocumentRequest } from '../../markup/document.js'
import type { CallRecord } from '../../model/call-record.js'
import { standardParams } from '../../model/callback-params.js'
import type { ActorDeps } from '../actor/call-actor.js'

/** Asks a verb's action of a call whose caller has gone, as a callback: its answer changes nothing. */
export async function tellAfterwards(
  call: CallRecord,
  { url, method, params }: DocumentRequest,
  { outbox }: Pick<ActorDeps, 'outbox'>,
): Promise<void> {
  // The end of the call may be on its way still.
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
