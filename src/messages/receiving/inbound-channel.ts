/**
 * The outbox channel that delivers inbound messages to customers' applications, in order for each pair of
 * numbers, and sends their replies.
 */
import { InsufficientBalanceError } from '../../ledger/reservations.js'
import { withoutCredentials } from '../../platform/http/authorization.js'
import type { Channel, Delivery } from '../../platform/outbox/channel.js'
import type { OutboxRow } from '../../platform/outbox/outbox-row.js'
import { nextAttemptAt, RETRY_SCHEDULE } from '../../platform/outbox/retry-schedule.js'
import { postEvent, signedHeaders } from '../../platform/outbox/signed-event.js'
import type { Signing, WebhookResponse } from '../../platform/webhooks/fetch-webhook.js'
import type { WebhookParams } from '../../platform/webhooks/signature.js'
import { WebhookError } from '../../platform/webhooks/webhook-error.js'
import { MessageQueueFullError, MessageRefusedError } from '../message-errors.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import type { RouteIn } from '../route-in.js'
import { createMessage } from '../sending/create-message.js'
import { countReplies, findMessage } from '../storage/message-storage.js'
import type { InboundDeps } from './inbound-deps.js'
import { inboundMedia, textWithMedia } from './inbound-media.js'
import { type InboundWebhook, mediaParams } from './inbound-webhook.js'

export interface InboundChannelDeps extends InboundDeps {
  /** Called after replies were stored. */
  readonly onReply: () => void
}

export interface InboundRequest {
  readonly message: MessageRecord
  readonly webhook: InboundWebhook | undefined
  readonly routeIn: RouteIn | undefined
  readonly params: WebhookParams
}

interface Payload {
  readonly sid: string
  /** Absent when the number has none: a softphone may get the message. */
  readonly webhook?: InboundWebhook
  /** Route of the number; absent: by the settings of the number. */
  readonly routeIn?: RouteIn
  readonly params: WebhookParams
}

const DELIVERED: Delivery = { type: 'delivered', status: undefined, error: undefined }
/** Maximum replies per minute from one number to another, so that two applications do not loop. */
const REPLIES_A_MINUTE = 10
const MINUTE_MS = 60_000

interface RoutedEvent {
  readonly message: MessageRecord
  readonly media: readonly MessageMedia[]
  /** `STOP`, `START` or `HELP` when the message is that keyword. */
  readonly optOutType: string | undefined
  readonly url: string
  /** The account's secret, which signs the event. */
  readonly secret: string
}

export function createInboundChannel(deps: InboundChannelDeps): Channel<InboundRequest> {
  return {
    name: 'inbound-message',
    toRow: ({ message, routeIn, webhook, params }) => ({
      stream: `inbound ${message.from}>${message.to}`,
      accountSid: message.accountSid,
      kind: 'inbound-message',
      payload: { sid: message.sid, webhook, routeIn, params },
    }),
    deliver: (row, signal) => deliver(row, signal, deps),
    nextAttemptAt: (row, now, random) => nextAttemptAt(RETRY_SCHEDULE, row, now, random),
  }
}

async function deliver(
  row: OutboxRow,
  signal: AbortSignal,
  deps: InboundChannelDeps,
): Promise<Delivery> {
  const payload = row.payload as Payload // as `toRow` has written it
  const signing = await deps.applications.signingOf(row.accountSid)
  if (signing === undefined)
    return { type: 'refused', status: undefined, error: 'the account is gone' }
  try {
    return await tell(row, payload, signing, signal, deps)
  } catch (error) {
    if (signal.aborted) return { type: 'aborted' }
    if (!(error instanceof WebhookError)) throw error
    if (error.isAborted) return { type: 'aborted' }
    const type = error.isRetryable ? 'failed' : 'refused'
    return { type, status: error.httpStatus, error: `${error.code} ${error.message}` }
  }
}

/** Makes one attempt. Rejects with WebhookError. */
async function tell(
  row: OutboxRow,
  payload: Payload,
  signing: Signing,
  signal: AbortSignal,
  deps: InboundChannelDeps,
): Promise<Delivery> {
  const message = await findMessage(deps.db.read, payload.sid)
  const media = message === undefined ? [] : await inboundMedia(message, deps, signal)
  if (typeof media === 'string') return { type: 'failed', status: undefined, error: media }
  const { routeIn, webhook, params } = payload
  if (routeIn === undefined && webhook !== undefined) {
    const links = mediaParams(media, (sid) => deps.mediaLinks.urlOf(sid))
    const asked = { webhook, params: [...params, ...links] }
    const response = await ask(row, asked, signing, signal, deps)
    await sendReplies(payload, response, deps)
    deps.onReply()
    return { type: 'delivered', status: response.status, error: undefined }
  }
  // A message that was deleted meanwhile is not delivered.
  if (message === undefined) return DELIVERED
  if (routeIn?.type !== 'webhook')
    return await giveToSoftphone(message, media, routeIn?.resource, deps)
  const optOutType = params.find(([name]) => name === 'OptOutType')?.[1]
  const event = { message, media, optOutType, url: routeIn.resource, secret: signing.authToken }
  return await postRouted(row, event, signal, deps)
}

/** Posts a message to the URL of its route. Any 2xx is a delivery. */
async function postRouted(
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

/** Sends the text to a softphone, with each media URL on its own line. */
async function giveToSoftphone(
  message: MessageRecord,
  media: readonly MessageMedia[],
  address: string | undefined,
  deps: InboundDeps,
): Promise<Delivery> {
  const text = textWithMedia(message, media, deps)
  const outcome = await deps.applications.giveToSoftphone(message, text, address)
  if (outcome === 'away')
    return { type: 'failed', status: undefined, error: 'no softphone has taken the message' }
  if (outcome === 'refused')
    return { type: 'refused', status: undefined, error: 'the softphone takes no messages' }
  return DELIVERED
}

/** Requests the URL, and on failure the fallback URL at once. */
async function ask(
  { accountSid, idempotencyToken }: OutboxRow,
  { webhook, params }: { readonly webhook: InboundWebhook; readonly params: WebhookParams },
  signing: Signing,
  signal: AbortSignal,
  { applications }: InboundDeps,
): Promise<WebhookResponse> {
  const common = { accountSid, idempotencyToken, signing }
  const { fallbackMethod, fallbackUrl, method, url } = webhook
  try {
    return await applications.webhooks.fetch({ ...common, url, method, params }, signal)
  } catch (error) {
    if (!(error instanceof WebhookError) || error.isAborted || fallbackUrl === undefined)
      throw error
    const failure: WebhookParams = [
      ['ErrorCode', String(error.code)],
      ['ErrorUrl', withoutCredentials(url)],
    ]
    const told = [...params, ...failure]
    const again = { ...common, url: fallbackUrl, method: fallbackMethod, params: told }
    return await applications.webhooks.fetch(again, signal)
  }
}

/** Sends each reply once, however often the webhook was requested. */
async function sendReplies(
  { sid }: Payload,
  response: WebhookResponse,
  deps: InboundDeps,
): Promise<void> {
  const { applications, clock, db, log } = deps
  const message = await findMessage(db.read, sid)
  if (message === undefined) return
  for (const [index, reply] of applications.repliesOf(response).entries()) {
    const { body, from = message.to, mediaUrls, to = message.from, statusCallback } = reply
    const since = clock.now() - MINUTE_MS
    if (
      (await countReplies(db.read, { accountSid: message.accountSid, from, to }, since)) >=
      REPLIES_A_MINUTE
    ) {
      log.warn({ sid, from, to }, 'did not send a reply: the replies may be in a loop')
      return
    }
    try {
      await createMessage(
        { sid: message.accountSid },
        {
          to,
          from,
          body,
          mediaUrls,
          direction: 'outbound-reply',
          statusCallback:
            statusCallback === undefined ? undefined : { url: statusCallback, method: 'POST' },
          idempotencyKey: `reply ${sid} ${index}`,
        },
        deps,
      )
    } catch (err) {
      if (!isRefusal(err)) throw err
      log.warn({ err, sid }, 'could not send a reply')
    }
  }
}

function isRefusal(err: unknown): boolean {
  return (
    err instanceof MessageRefusedError ||
    err instanceof InsufficientBalanceError ||
    err instanceof MessageQueueFullError
  )
}
