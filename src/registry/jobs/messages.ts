import type { Writer } from '../../platform/database/database.js'
import type { Core } from '../model/core.js'
import type { MessageOutcome, OutgoingMessage, SendMessage } from '../model/ports.js'
import { type JobHandler, schedule } from './jobs.js'

/** The default sender: messages stay in the local outbox, where an operator and tests read them. */
export const keepInOutbox: SendMessage = () =>
  Promise.resolve({ deliveryStatus: 'DELIVERED_HANDSET' })

/** Stores the message with the change that it belongs to; it is sent after the commit. */
export async function queueMessage(
  core: Core,
  tx: Writer,
  message: OutgoingMessage,
): Promise<void> {
  const { kind, recipient, subject, text, reference } = message
  const now = core.clock.now()
  const { id } = await tx
    .insertInto('registry_messages')
    .values({
      kind,
      recipient,
      subject,
      bodySealed: core.vault.seal(text),
      reference,
      status: 'queued',
      createdAt: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await schedule(tx, 'send-message', String(id), now)
}

/**
 * The job that sends a message; `onOutcome` stores the outcome in the record that the message
 * refers to.
 */
export function sendMessageJob(
  core: Core,
  send: SendMessage,
  onOutcome: (tx: Writer, reference: string, outcome: MessageOutcome) => Promise<void>,
): JobHandler {
  return {
    type: 'perform',
    run: async (job, signal) => {
      const row = await core.db.read
        .selectFrom('registry_messages')
        .selectAll()
        .where('id', '=', Number(job.subject))
        .executeTakeFirst()
      if (row?.status !== 'queued') return () => Promise.resolve()
      const outcome = await send(
        {
          kind: row.kind === 'sms' ? 'sms' : 'mail',
          recipient: row.recipient,
          subject: row.subject,
          text: core.vault.open(row.bodySealed),
          reference: row.reference,
        },
        signal,
      )
      return async (tx) => {
        await tx
          .updateTable('registry_messages')
          .set({ status: outcome.deliveryStatus })
          .where('id', '=', row.id)
          .execute()
        await onOutcome(tx, row.reference, outcome)
      }
    },
  }
}

export interface SentMessage extends OutgoingMessage {
  readonly id: number
  readonly status: string
  readonly createdAt: number
}

/** The latest messages, newest first. */
export async function listMessages(core: Core, recipient?: string): Promise<SentMessage[]> {
  let query = core.db.read.selectFrom('registry_messages').selectAll().orderBy('id', 'desc')
  if (recipient !== undefined) query = query.where('recipient', '=', recipient)
  const rows = await query.limit(100).execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind === 'sms' ? 'sms' : 'mail',
    recipient: row.recipient,
    subject: row.subject,
    text: core.vault.open(row.bodySealed),
    reference: row.reference,
    status: row.status,
    createdAt: row.createdAt,
  }))
}
