/**
 * The outbox's channel that tells customers' applications of messages that came in, one after the
 * other for each pair of numbers, and sends what they answer.
 */
import { InsufficientBalanceError } from '../../ledger/reservations.js'
import type { Logger } from '../../platform/log.js'
import type { Channel, Delivery } from '../../platform/outbox/channel.js'
import type { OutboxRow } from '../../platform/outbox/outbox-row.js'
import { nextAttemptAt, RETRY_SCHEDULE } from '../../platform/outbox/retry-schedule.js'
import type { Signing, WebhookResponse, Webhooks } from '../../platform/webhooks/fetch-webhook.js'
import type { WebhookParams } from '../../platform/webhooks/signature.js'
import { WebhookError } from '../../platform/webhooks/webhook-error.js'
import { gatherMedia } from '../media/gather-media.js'
import type { MediaLinks } from '../media/media-links.js'
import type { MediaStore } from '../media/media-store.js'
import { MessageQueueFullError, MessageRefusedError } from '../message-errors.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import { type CreateDeps, createMessage } from '../sending/create-message.js'
import { dropMedia } from '../storage/media-storage.js'
import { countReplies, findMessage } from '../storage/message-storage.js'
import { type InboundWebhook, mediaParams, type WantedReply } from './inbound-webhook.js'

export interface Applications {
  /** The webhook of a number; undefined when it has none. */
  webhookOf(e164: string): Promise<InboundWebhook | undefined>
  /** Reads the answer of a webhook; text is never executed. */
  repliesOf(response: WebhookResponse): readonly WantedReply[]
  /**
   * Gives a message to the registered softphone that its number is routed to. `none`: it is routed to
   * no softphone.
   */
  giveToSoftphone(
    message: Pick<MessageRecord, 'accountSid' | 'from' | 'to'>,
    text: string,
  ): Promise<'taken' | 'away' | 'refused' | 'none'>
  countryOf(e164: string): string | undefined
  signingOf(accountSid: string): Promise<Signing | undefined>
  readonly webhooks: Pick<Webhooks, 'fetch'>
}

export interface InboundDeps extends CreateDeps {
  readonly log: Logger
  readonly applications: Applications
  readonly mediaStore: MediaStore
  readonly mediaLinks: Pick<MediaLinks, 'urlOf'>
}

export interface InboundChannelDeps extends InboundDeps {
  /** Called after replies were stored. */
  readonly onReply: () => void
}

export interface InboundRequest {
  readonly message: MessageRecord
  readonly webhook: InboundWebhook | undefined
  readonly params: WebhookParams
}

interface Payload {
  readonly sid: string
  /** Absent when the number has none: a softphone may be given the message. */
  readonly webhook?: InboundWebhook
  readonly params: WebhookParams
}

/** The replies from one number to another in a minute, so that two applications do not go on. */
const REPLIES_A_MINUTE = 10
const MINUTE_MS = 60_000

export function createInboundChannel(deps: InboundChannelDeps): Channel<InboundRequest> {
  return {
    name: 'inbound-message',
    toRow: ({ message, webhook, params }) => ({
      stream: `inbound ${message.from}>${message.to}`,
      accountSid: message.accountSid,
      kind: 'inbound-message',
      payload: { sid: message.sid, webhook, params },
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
    const media = await stored(payload, signal, deps)
    if (typeof media === 'string') return { type: 'failed', status: undefined, error: media }
    const { webhook } = payload
    if (webhook === undefined) return await giveToSoftphone(payload, media, deps)
    const params = [...payload.params, ...mediaParams(media, (sid) => deps.mediaLinks.urlOf(sid))]
    const response = await ask(row, { webhook, params }, signing, signal, deps)
    await sendReplies(payload, response, deps)
    deps.onReply()
    return { type: 'delivered', status: response.status, error: undefined }
  } catch (error) {
    if (signal.aborted) return { type: 'aborted' }
    if (!(error instanceof WebhookError)) throw error
    if (error.isAborted) return { type: 'aborted' }
    const type = error.isRetryable ? 'failed' : 'refused'
    return { type, status: error.httpStatus, error: `${error.code} ${error.message}` }
  }
}

/**
 * Resolves with the media of the message, or with the reason why they are not all there yet. Those that
 * cannot be had are left out.
 */
async function stored(
  { sid }: Payload,
  signal: AbortSignal,
  deps: InboundDeps,
): Promise<readonly MessageMedia[] | string> {
  const message = await findMessage(deps.db.read, sid)
  if (message === undefined) return []
  const gathered = await gatherMedia(message, deps, signal)
  if (gathered.type === 'busy') return gathered.reason
  const lost = gathered.failed.map((each) => each.sid)
  if (lost.length > 0) await deps.db.write((tx) => dropMedia(tx, sid, lost))
  return gathered.media
}

/** Gives the text to a softphone, with the URLs of the media as lines of their own. */
async function giveToSoftphone(
  { sid }: Payload,
  media: readonly MessageMedia[],
  { applications, db, mediaLinks }: InboundDeps,
): Promise<Delivery> {
  const message = await findMessage(db.read, sid)
  if (message === undefined) return { type: 'delivered', status: undefined, error: undefined }
  const urls = media.map((each) => mediaLinks.urlOf(each.sid))
  const text = [message.body, ...urls].filter((line) => line !== '').join('\n')
  const outcome = await applications.giveToSoftphone(message, text)
  if (outcome === 'away')
    return { type: 'failed', status: undefined, error: 'no softphone has taken the message' }
  if (outcome === 'refused')
    return { type: 'refused', status: undefined, error: 'the softphone takes no messages' }
  return { type: 'delivered', status: undefined, error: undefined }
}

/** Asks the URL, and the fallback URL at once when that fails. */
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
    const told: WebhookParams = [...params, ['ErrorCode', String(error.code)], ['ErrorUrl', url]]
    const again = { ...common, url: fallbackUrl, method: fallbackMethod, params: told }
    return await applications.webhooks.fetch(again, signal)
  }
}

/** Sends each reply once, however often the webhook was asked. */
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
