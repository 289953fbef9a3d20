/** Handles inbound messages, including STOP, START and HELP. A repeated message is stored and answered once. */

import { billedAccount } from '../../accounts/billed-account.js'
import type { Ledger } from '../../ledger/ledger.js'
import { InsufficientBalanceError } from '../../ledger/reservations.js'
import { findHeldNumber } from '../../numbers/held-numbers.js'
import { keepRequest } from '../../platform/idempotency/kept-requests.js'
import { newSid } from '../../platform/ids.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { ChannelOutbox } from '../../platform/outbox/outbox.js'
import type { SendingPermission } from '../../registry/registry.js'
import type { InboundMedia, InboundMessage } from '../carrier.js'
import { wantedMedia } from '../media/wanted-media.js'
import { MessageQueueFullError, MessageRefusedError } from '../message-errors.js'
import { MAX_MEDIA } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import { askedAhead, type OperatorLookup, UNKNOWN_OPERATORS } from '../operator-lookup.js'
import type { RouteIn } from '../route-in.js'
import { type Keyword, keywordOf } from '../rules/keyword.js'
import { segmentText } from '../segments/segment-text.js'
import { applyEvent } from '../sending/apply-event.js'
import { createMessage } from '../sending/create-message.js'
import { scopeOf } from '../sending/sender.js'
import { insertMedia, knownFiles } from '../storage/media-storage.js'
import { countKeywordAnswers, insertMessage, waitingMessages } from '../storage/message-storage.js'
import { messagingOf } from '../storage/messaging-storage.js'
import { optIn, optOut, type StoppableSender } from '../storage/opt-out-storage.js'
import type { InboundRequest } from './inbound-channel.js'
import type { Applications, InboundDeps } from './inbound-deps.js'
import type { InboundMail } from './inbound-mail.js'
import { inboundParams } from './inbound-webhook.js'

export interface ReceiveDeps extends InboundDeps {
  readonly ledger: Pick<Ledger, 'post'>
  readonly callbacks: CallbackOutbox
  /** Webhook requests for inbound messages. */
  readonly requests: Pick<ChannelOutbox<InboundRequest>, 'enqueue'>
  readonly mails: Pick<ChannelOutbox<InboundMail>, 'enqueue'>
}

/** Maximum answers per day to keywords of one recipient from one number, so that loops end. */
const ANSWERS_A_DAY = 5
const DAY_MS = 86_400_000
const UNSUBSCRIBED = 21610

const DEFAULT_TEXTS: Readonly<Record<Keyword, string>> = {
  stop: 'You are unsubscribed and get no more messages from this number. Reply START to resubscribe.',
  start: 'You are subscribed again. Reply HELP for help, STOP to unsubscribe.',
  help: 'Reply STOP to unsubscribe. Message and data rates may apply.',
}

/** Resolves with the stored message; undefined for a duplicate, and when nobody holds the number. */
export async function receiveMessage(
  inbound: InboundMessage,
  deps: ReceiveDeps,
): Promise<MessageRecord | undefined> {
  const { db, clock, log, maySend } = deps
  const { from, to } = inbound
  const number = await findHeldNumber(db.read, to)
  if (number === undefined) return undefined
  const permission = await maySend(to)
  const campaign = 'texts' in permission ? permission : undefined
  const scope = scopeOf(number, campaign?.campaignId)
  const payerSid = await billedAccount(db.read, number.accountSid)
  const sender = { scope, number: to, payerSid }
  // A short code or a name gets no answer and cannot opt out.
  const keyword = from.startsWith('+') ? keywordOf(inbound.body, campaign?.texts) : undefined
  const { isEnabled, routeIn } = await messagingOf(db.read, number.sid)
  if (!isEnabled) {
    // Other numbers of the campaign may be enabled: STOP holds for them.
    if (keyword === 'stop') {
      await db.write((tx) => optOut(tx, sender, from, clock.now()))
      await stopWaiting(sender, from, deps)
    }
    log.info({ to }, 'did not take a message: messaging is disabled for the number')
    return undefined
  }
  const media = (inbound.media ?? []).slice(0, MAX_MEDIA)
  const draft = recordOf(inbound, media.length > 0, number.accountSid, scope, clock.now())
  const request = await requestOf(draft, keyword, routeIn, deps.applications)
  const operators = await operatorsFor(keyword, from, deps)
  const key = { caller: number.accountSid, key: `inbound ${inbound.carrier} ${inbound.id}` }
  const isNew = await db.inOneCommit(async (tx) => {
    const now = draft.createdAt
    const kept = { request: '', status: 201, outcome: draft.sid }
    if (!(await keepRequest(tx, key, kept, now))) return false
    const rows = wantedMedia(draft, await withoutLost(tx, media))
    const message = { ...draft, numMedia: rows.length }
    await insertMessage(tx, message)
    await insertMedia(tx, rows)
    if (routeIn?.type === 'email') await deps.mails.enqueue(tx, [{ message, to: routeIn.resource }])
    else await deps.requests.enqueue(tx, [request])
    const isOwed = await obey(tx, keyword, sender, from, now)
    if (keyword === undefined || !isOwed) return true
    const answers = await countKeywordAnswers(tx, message, now - DAY_MS)
    if (answers < ANSWERS_A_DAY)
      await answer(message, textOf(keyword, permission), { ...deps, operators })
    else log.warn({ from, to }, 'did not answer a keyword: the answers may be in a loop')
    return true
  })
  // Also for a duplicate, since the process may have died here before.
  if (keyword === 'stop') await stopWaiting(sender, from, deps)
  return isNew ? draft : undefined
}

/** Looks up the operator of the sender for a keyword message, which is answered. */
async function operatorsFor(
  keyword: Keyword | undefined,
  sender: string,
  { operators = UNKNOWN_OPERATORS }: ReceiveDeps,
): Promise<OperatorLookup> {
  return keyword === undefined ? operators : await askedAhead(operators, sender)
}

/** Drops the media whose files were deleted with their message. */
async function withoutLost(
  tx: Transaction,
  media: readonly InboundMedia[],
): Promise<readonly InboundMedia[]> {
  const files = media.flatMap((each) => (each.type === 'file' ? [each.file] : []))
  const known = await knownFiles(tx, files)
  return media.filter((each) => each.type === 'url' || known.has(each.file))
}

async function requestOf(
  message: MessageRecord,
  keyword: Keyword | undefined,
  routeIn: RouteIn | undefined,
  applications: Applications,
): Promise<InboundRequest> {
  const webhook = await applications.webhookOf(message.to)
  const countryOf = (e164: string) => applications.countryOf(e164)
  const params = inboundParams(message, keyword, webhook?.applicationSid, countryOf)
  return { message, webhook, routeIn, params }
}

type Transaction = Parameters<typeof insertMessage>[0]

/** Stores the opt-out or opt-in; true when the message is to be answered. */
async function obey(
  tx: Transaction,
  keyword: Keyword | undefined,
  sender: StoppableSender,
  recipient: string,
  now: number,
): Promise<boolean> {
  if (keyword === 'stop') return await optOut(tx, sender, recipient, now)
  if (keyword === 'start') return await optIn(tx, sender, recipient)
  return keyword === 'help'
}

function textOf(keyword: Keyword, permission: SendingPermission): string {
  const texts = 'texts' in permission ? permission.texts : undefined
  const own = {
    stop: texts?.optoutMessage,
    start: texts?.optinMessage,
    help: texts?.helpMessage,
  }[keyword]
  return own === undefined || own === '' ? DEFAULT_TEXTS[keyword] : own
}

async function answer(
  { accountSid, from, to }: MessageRecord,
  body: string,
  deps: ReceiveDeps,
): Promise<void> {
  try {
    await createMessage(
      { sid: accountSid },
      { to: from, from: to, body, direction: 'outbound-reply', isKeywordAnswer: true },
      deps,
    )
  } catch (err) {
    const isExpected =
      err instanceof MessageRefusedError ||
      err instanceof InsufficientBalanceError ||
      err instanceof MessageQueueFullError
    if (!isExpected) throw err
    deps.log.warn({ err, from: to, to: from }, 'could not answer a keyword')
  }
}

/** Fails queued messages to the recipient, from the number and from every number of the campaign. */
async function stopWaiting(
  sender: StoppableSender,
  recipient: string,
  { callbacks, clock, ledger }: ReceiveDeps,
): Promise<void> {
  const now = clock.now()
  await callbacks.commit(async (tx, enqueue) => {
    for (const message of await waitingMessages(tx, sender, recipient))
      if (!message.isKeywordAnswer)
        await applyEvent({ tx, enqueue, ledger, now }, message, {
          type: 'refused',
          errorCode: UNSUBSCRIBED,
        })
  })
}

function recordOf(
  { body, from, subject, to }: InboundMessage,
  hasMedia: boolean,
  accountSid: string,
  scope: string,
  now: number,
): MessageRecord {
  return {
    sid: newSid(hasMedia ? 'MM' : 'SM'),
    accountSid,
    direction: 'inbound',
    from,
    to,
    body,
    segments: hasMedia ? 1 : segmentText(body).segments.length,
    subject,
    numMedia: 0,
    status: 'received',
    errorCode: undefined,
    price: undefined,
    cost: 0,
    billedSid: accountSid,
    scope,
    isKeywordAnswer: false,
    statusCallback: undefined,
    applicationSid: undefined,
    sendAt: undefined,
    expiresAt: now,
    sentAt: now,
    createdAt: now,
    updatedAt: now,
  }
}
