import type { Delivery } from '../../platform/outbox/channel.js'
import type { OutboxRow } from '../../platform/outbox/outbox-row.js'
import { postEvent, signedHeaders } from '../../platform/outbox/signed-event.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import type { InboundDeps } from './inbound-deps.js'

export interface RoutedEvent {
  readonly message: MessageRecord
  readonly media: readonly MessageMedia[]
  /** `STOP`, `START` or `HELP` for a message that is one. */
  readonly optOutType: string | undefined
  readonly url: string
  /** The account's key, which signs the event. */
  readonly secret: string
}

/** Posts a message to the URL that its number is routed to. Any 2xx is a delivery. */
export async function postRouted(
  row: OutboxRow,
  { message, media, optOutType, url, secret }: RoutedEvent,
  signal: AbortSignal,
  { applications, clock, mediaLinks }: Pick<InboundDeps, 'applications' | 'clock' | 'mediaLinks'>,
): Promise<Delivery> {
  const { sid, from, to, body: text, subject, createdAt } = message
  const body = JSON.stringify({
    id: sid,
    type: message.numMedia > 0 || sid.startsWith('MM') ? 'mms' : 'sms',
    from,
    to,
    text,
    subject: subject ?? '',
    media: media.map(({ sid: mediaSid, contentType, bytes }) => ({
      url: mediaLinks.urlOf(mediaSid),
      contentType,
      bytes,
    })),
    optOutType: optOutType ?? '',
    receivedAt: new Date(createdAt).toISOString(),
  })
  const headers = {
    ...signedHeaders(body, secret, clock.now()),
    'X-Trunkline-Event-Id': sid,
    'X-Trunkline-Attempt': String(row.attempts + 1),
  }
  const answer = await postEvent(applications.outbound, { url, body, headers }, signal)
  if (signal.aborted) return { type: 'aborted' }
  const isTaken = answer.status !== undefined && answer.status >= 200 && answer.status < 300
  return { ...answer, type: isTaken ? 'delivered' : 'failed' }
}
