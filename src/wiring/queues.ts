/** Queues of callers: made before the calls that wait in them. */
import { systemClock as clock } from '../platform/clock.js'
import type { Logger } from '../platform/log.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { findCall } from '../voice/calls/call-storage.js'
import { finishLeftMembers } from '../voice/queues/finish-left-members.js'
import { createQueueStore, type QueueStoreDeps } from '../voice/queues/queue-store.js'
import { createQueues, type Queues } from '../voice/queues/queues.js'
import type { Base } from './base.js'

/** Before the calls that an earlier process left are ended: what is told of them comes last. */
export async function wireQueues(
  { db, events, store: outboxStore }: Base,
  outbox: Outbox,
  log: Logger,
): Promise<Queues> {
  const enqueueCallbacks: QueueStoreDeps['enqueueCallbacks'] = (tx, rows) =>
    outboxStore.enqueue(tx, rows)
  const left = await finishLeftMembers({
    db,
    clock,
    enqueueCallbacks,
    findCall: (accountSid, sid) => findCall(db.read, accountSid, sid),
  })
  if (left > 0) log.warn({ left }, 'callers whom an earlier process left in queues were taken out')
  const store = createQueueStore({
    ...{ db, clock, enqueueCallbacks },
    callbacksCommitted: (accountSid) => {
      outbox.notify(accountSid)
    },
  })
  return createQueues({ db, store, clock, log, events })
}
