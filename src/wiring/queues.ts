/** Queues of callers: made before the calls that wait in them. */
import { systemClock as clock } from '../platform/clock.js'
import type { Logger } from '../platform/log.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { findCall } from '../voice/calls/call-storage.js'
import { finishLeftMembers } from '../voice/queues/finish-left-members.js'
import { createQueueStore } from '../voice/queues/queue-store.js'
import { createQueues, type Queues } from '../voice/queues/queues.js'
import type { Base } from './base.js'

/** Before the calls that an earlier process left are ended: what is told of them comes last. */
export async function wireQueues(
  { db, events }: Base,
  outbox: CallbackOutbox,
  log: Logger,
): Promise<Queues> {
  const left = await finishLeftMembers({
    db,
    outbox,
    findCall: (accountSid, sid) => findCall(db.read, accountSid, sid),
  })
  if (left > 0) log.warn({ left }, 'callers whom an earlier process left in queues were taken out')
  const store = createQueueStore({ db, clock, outbox })
  return createQueues({ db, store, clock, log, events })
}
