/** Mails inbound messages of numbers that are routed to a mail address. */
import { type Mail, MailError } from '../../mail/mail.js'
import { createMailChannel } from '../../mail/mail-channel.js'
import type { Channel } from '../../platform/outbox/channel.js'
import type { OutboxRow } from '../../platform/outbox/outbox-row.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import { findMessage } from '../storage/message-storage.js'
import type { InboundDeps } from './inbound-deps.js'
import { inboundMedia, textWithMedia } from './inbound-media.js'

export interface InboundMail {
  readonly message: MessageRecord
  /** Mail address. */
  readonly to: string
}

interface Payload {
  readonly sid: string
  readonly to: string
}

/** Mails messages of one pair of numbers in order. */
export function createInboundMailChannel(deps: InboundDeps): Channel<InboundMail> {
  return createMailChannel<InboundMail>({
    name: 'inbound-message-mail',
    mailer: deps.applications.mailer,
    toRow: ({ message, to }) => ({
      stream: `inbound-mail ${message.from}>${message.to}`,
      accountSid: message.accountSid,
      kind: 'inbound-message',
      payload: { sid: message.sid, to },
    }),
    compose: (row, signal) => compose(row, signal, deps),
  })
}

async function compose(
  row: OutboxRow,
  signal: AbortSignal,
  deps: InboundDeps,
): Promise<Mail | undefined> {
  const { sid, to } = row.payload as Payload // as `toRow` has written it
  const message = await findMessage(deps.db.read, sid)
  if (message === undefined) return undefined
  const media = await inboundMedia(message, deps, signal)
  if (typeof media === 'string') throw new MailError(media, { isRetryable: true })
  return mailOf(message, media, to, deps)
}

function mailOf(
  message: MessageRecord,
  media: readonly MessageMedia[],
  to: string,
  deps: Pick<InboundDeps, 'mediaLinks'>,
): Mail {
  const { from, subject } = message
  const about = subject === undefined || subject === '' ? '' : `: ${oneLine(subject)}`
  return {
    to,
    subject: `Message from ${oneLine(from)} to ${message.to}${about}`,
    text: `${textWithMedia(message, media, deps)}\n`,
  }
}

/** Replaces line breaks, which a mail header must not have. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
