import type { Channel, Delivery } from '../platform/outbox/channel.js'
import type { NewOutboxRow, OutboxRow } from '../platform/outbox/outbox-row.js'
import { nextAttemptAt, type RetrySchedule } from '../platform/outbox/retry-schedule.js'
import { type Mail, MailError, type Mailer } from './mail.js'

/** A mail server that is away for a day still gets the mails of that day. */
const SCHEDULE: RetrySchedule = {
  firstDelayMs: 2_000,
  maxDelayMs: 10 * 60_000,
  horizonMs: 24 * 3_600_000,
}

export interface MailChannelDeps<Item> {
  /** The name of the channel, which never changes. */
  readonly name: string
  readonly mailer: Mailer
  readonly toRow: (item: Item) => Omit<NewOutboxRow, 'channel'>
  /**
   * Makes the mail at its delivery; undefined when there is nothing to send. Rejects with MailError
   * when it cannot be made now.
   */
  readonly compose: (row: OutboxRow, signal: AbortSignal) => Promise<Mail | undefined>
}

/**
 * Delivers mails from the outbox. An accepted mail is sent once, unless the process dies between the
 * server's answer and the commit; it then goes out again with the same Message-ID.
 */
export function createMailChannel<Item>(deps: MailChannelDeps<Item>): Channel<Item> {
  return {
    name: deps.name,
    toRow: deps.toRow,
    deliver: (row, signal) => deliver(row, signal, deps),
    nextAttemptAt: (row, now, random) => nextAttemptAt(SCHEDULE, row, now, random),
  }
}

async function deliver<Item>(
  row: OutboxRow,
  signal: AbortSignal,
  { mailer, compose }: MailChannelDeps<Item>,
): Promise<Delivery> {
  try {
    const mail = await compose(row, signal)
    if (mail === undefined) return { type: 'delivered', status: undefined, error: undefined }
    await mailer.send({ ...mail, id: row.idempotencyToken, at: row.createdAt }, signal)
    return { type: 'delivered', status: undefined, error: undefined }
  } catch (error) {
    if (signal.aborted) return { type: 'aborted' }
    if (!(error instanceof MailError)) throw error
    const type = error.isRetryable ? 'failed' : 'refused'
    return { type, status: error.status, error: error.message }
  }
}
