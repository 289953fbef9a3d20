/**
 * Enqueue: the caller waits until it was connected or the wait ended otherwise. Then the action gets the
 * result, or the next verb runs.
 */

import type { EnqueueVerb } from '../parse/enqueue.js'
import type { QueueEntry, QueueOutcome, QueueRequest } from '../queue-entry.js'
import { resolveUrl, resolveWaitUrl } from './resolve-url.js'
import { runWait } from './run-wait.js'
import { CONTINUE, DocumentError, type VerbContext, type VerbOutcome } from './verb-run.js'

export async function runEnqueue(verb: EnqueueVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl, signal } = context
  if (host.purpose === 'screening')
    throw new DocumentError(13201, 'Enqueue cannot be used while a called party is screened')
  const action =
    verb.action === undefined
      ? undefined
      : { url: resolveUrl(verb.action, documentUrl), method: verb.method }
  const entry = entryOf(verb, action, context)
  const { result, params } =
    entry === undefined ? withoutQueue(verb, context) : await host.enterQueue(entry, signal)
  if (result === 'hangup') return { type: 'end', end: { type: 'hangup' } }
  if (action === undefined) return CONTINUE
  return { type: 'fetch', request: { ...action, params, delivery: 'owed' } }
}

/** Logs that the caller has no queue to wait in. The parser has already warned about the name. */
function withoutQueue({ task }: EnqueueVerb, { host }: VerbContext): QueueOutcome {
  if (task !== undefined) {
    const message = 'Enqueue: a task without the name of a queue is not routed to anybody'
    host.log({ type: 'error', code: 13750, message })
  }
  return { result: 'error', params: { QueueResult: 'error' } }
}

function entryOf(
  verb: EnqueueVerb,
  action: QueueRequest | undefined,
  context: VerbContext,
): QueueEntry | undefined {
  const { queue: name, waitUrl, waitMethod: method } = verb
  if (name === undefined) return undefined
  const url = resolveWaitUrl(waitUrl, { verb: 'Enqueue' }, context)
  return {
    name,
    maxSize: verb.maxQueueSize,
    action,
    wait: (standing, until) => {
      const inside = { purpose: 'queued', params: standing } as const
      return runWait({ url, method }, { inside, onError: 'end' }, context, until)
    },
    announce: async (announcement, params, until) => {
      const request = { ...announcement, params: {} }
      const inside = { purpose: 'waiting', params: () => params } as const
      // A failed announcement is in the event log; the two parties are still connected.
      await context.runInside({ type: 'url', request }, inside, until)
    },
  }
}
