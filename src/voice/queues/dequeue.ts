import type { QueueRequest } from '../markup/queue-entry.js'
import { CallNotFoundError, CallNotInProgressError } from '../model/call-errors.js'
import type { UrlDocument } from '../model/call-plan.js'
import { QueueMemberNotFoundError } from './queue-errors.js'
import type { MemberView, Queues } from './queues.js'

/** Gives a live call another document; rejects with CallNotFoundError or CallNotInProgressError. */
export interface DocumentChanger {
  update(
    accountSid: string,
    sid: string,
    change: { readonly document: UrlDocument },
  ): Promise<unknown>
}

/**
 * Takes a caller out of a queue to another document. Rejects with QueueMemberNotFoundError when the
 * caller does not wait there, or was taken meanwhile.
 */
export async function dequeue(
  wanted: {
    readonly accountSid: string
    readonly queueSid: string
    /** The caller's call sid, or `Front`. */
    readonly which: string
    readonly document: QueueRequest
  },
  queues: Pick<Queues, 'call'>,
  calls: DocumentChanger,
): Promise<MemberView> {
  const { accountSid, queueSid, which, document } = wanted
  const called = await queues.call(accountSid, queueSid, which)
  try {
    await calls.update(accountSid, called.callSid, {
      document: { type: 'url', ...document, fallbackMethod: 'POST' },
    })
  } catch (error) {
    called.giveBack()
    if (error instanceof CallNotInProgressError || error instanceof CallNotFoundError)
      throw new QueueMemberNotFoundError(`${called.callSid} has left the queue ${queueSid}`)
    throw error
  }
  return called
}
