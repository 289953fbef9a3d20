/** Validates, stores and schedules a message. */
import { billedAccount } from '../../accounts/billed-account.js'
import {
  type DestinationRules,
  judgeDestination,
  judgeShortCode,
} from '../../destinations/destination-rules.js'
import type { DestinationsOf } from '../../destinations/destinations-of.js'
import { E164 } from '../../destinations/phone-number.js'
import { isShortCode } from '../../destinations/short-code.js'
import { InsufficientBalanceError, reserve } from '../../ledger/reservations.js'
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import { isWebUrl } from '../../platform/http/web-url.js'
import {
  findKept,
  type KeptRequest,
  keepRequest,
  refuseOther,
} from '../../platform/idempotency/kept-requests.js'
import { newSid } from '../../platform/ids.js'
import { countCharacters } from '../../platform/text.js'
import { messageRate } from '../../rating/account-rates.js'
import type { MaySend } from '../../registry/registry.js'
import { wantedMedia } from '../media/wanted-media.js'
import { MessageQueueFullError, MessageRefusedError } from '../message-errors.js'
import { MAX_MEDIA, MAX_MEDIA_URL } from '../message-media.js'
import {
  MAX_VALIDITY_SECONDS,
  type MessageDirection,
  type MessageRecord,
  type StatusCallback,
} from '../message-record.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../operator-lookup.js'
import { takesMicros } from '../rules/sending-rate.js'
import { segmentText } from '../segments/segment-text.js'
import { insertMedia } from '../storage/media-storage.js'
import { findMessage, insertMessage } from '../storage/message-storage.js'
import { hasOptedOut } from '../storage/opt-out-storage.js'
import { queueMessage } from '../storage/queue-storage.js'
import { type Carried, type Carriers, carrierOf, uncarried } from './carrier-of.js'
import { authorizeSender, type Sender, stoppableBy } from './sender.js'
import { turnOf, type WantedTurn } from './turn.js'

/** Maximum length of a text, in code points: an emoji is one. */
export const MAX_BODY = 1_600
/** Time that a reservation outlives its message, ms. */
const AFTERLIFE_MS = 86_400_000

export interface NewMessage {
  /** A number in E.164, or a short code. */
  readonly to: string
  /** A number in E.164. */
  readonly from: string
  readonly body: string
  /** Source URLs of its media. */
  readonly mediaUrls?: readonly string[] | undefined
  readonly subject?: string | undefined
  readonly direction: Exclude<MessageDirection, 'inbound'>
  readonly statusCallback?: StatusCallback | undefined
  readonly applicationSid?: string | undefined
  /** Scheduled time; undefined for now. */
  readonly sendAt?: number | undefined
  readonly validitySeconds?: number | undefined
  /** The client's name for the request: a repeated name returns the same message. */
  readonly idempotencyKey?: string | undefined
  /** Digest of the request; another request with the same name is refused. */
  readonly requestDigest?: string | undefined
  readonly isKeywordAnswer?: boolean
}

/** The account that sends. */
export interface SendingAccount {
  readonly sid: string
}

export interface CreateDeps extends Carriers {
  readonly db: Database
  readonly clock: Clock
  readonly maySend: MaySend
  /** Allowed destinations of an account's messages. */
  readonly destinationsOf: DestinationsOf
  /** Looks up the operators of destinations; without it none is known. */
  readonly operators?: OperatorLookup
}

/** Millionths of a dollar in 1/10,000 dollar. */
const MICROS_PER_UNIT = 100

/**
 * Rejects with MessageRefusedError, InsufficientBalanceError or MessageQueueFullError and stores nothing,
 * except that a message to an opted-out recipient is listed as failed.
 */
export async function createMessage(
  account: SendingAccount,
  wanted: NewMessage,
  deps: CreateDeps,
): Promise<MessageRecord> {
  const { db, clock } = deps
  const now = clock.now()
  const { to, from, mediaUrls: urls = [] } = wanted
  if (!E164.test(to) && !isShortCode(to)) throw badDestination(to)
  if (!E164.test(from))
    throw new MessageRefusedError(21212, `The 'From' number ${from} is not valid.`)
  checkContent(wanted)
  checkDestination(wanted, await deps.destinationsOf(account.sid))
  const sender = await allowedSender(account.sid, wanted, deps)
  checkCarrier({ to, numMedia: urls.length }, sender, deps)
  const draft = await draftOf(db.read, account.sid, wanted, sender, now)
  const media = wantedMedia(
    draft,
    urls.map((url) => ({ type: 'url' as const, url })),
  )
  const request = requestOf(account, wanted.idempotencyKey)
  const digest = wanted.requestDigest ?? ''
  const outcome = await db.write(async (tx) => {
    if (request !== undefined && !(await keepRequest(tx, request, kept(draft, digest), now)))
      return await earlierOf(tx, account, digest, await findKept(tx, request, now))
    if (!draft.isKeywordAnswer && (await hasOptedOut(tx, stoppableBy(draft), to)))
      return await storeBlocked(tx, draft)
    await insertMessage(tx, draft)
    await insertMedia(tx, media)
    await reserveCost(tx, draft, now)
    await queue(tx, draft, sender, now)
    return draft
  }, 'read-committed')
  if (outcome.errorCode === 21610)
    throw new MessageRefusedError(21610, `The recipient ${to} has unsubscribed with STOP.`)
  return outcome
}

function checkContent({ body, mediaUrls = [] }: NewMessage): void {
  if (mediaUrls.length > 0) checkMediaUrls(mediaUrls)
  else if (body === '') throw new MessageRefusedError(21602, 'Message body is required.')
  const characters = countCharacters(body)
  if (characters > MAX_BODY)
    throw new MessageRefusedError(
      21617,
      `The message has ${characters} characters, the maximum is ${MAX_BODY}.`,
    )
}

/** Throws MessageRefusedError for media that cannot be sent. */
function checkMediaUrls(urls: readonly string[]): void {
  const bad = urls.find((url) => !isMediaUrl(url))
  if (bad !== undefined)
    throw new MessageRefusedError(21620, `The media URL ${bad.slice(0, 100)} is not valid.`)
  if (urls.length > MAX_MEDIA)
    throw new MessageRefusedError(
      21623,
      `The message has ${urls.length} media, the maximum is ${MAX_MEDIA}.`,
    )
}

function isMediaUrl(text: string): boolean {
  return text.length <= MAX_MEDIA_URL && !text.includes('\0') && isWebUrl(text)
}

function badDestination(to: string): MessageRefusedError {
  return new MessageRefusedError(21211, `The 'To' number ${to} is not valid.`)
}

/** The rules of calls hold for messages. */
function checkDestination({ to, from }: NewMessage, rules: DestinationRules): void {
  const verdict = isShortCode(to)
    ? judgeShortCode(to, from, rules)
    : judgeDestination(to, rules).type
  switch (verdict) {
    case 'open':
      return
    case 'not-a-number':
    case 'unknown-country':
      throw badDestination(to)
    case 'other-country':
    case 'abroad':
      throw new MessageRefusedError(21408, `The account may not send to the country of ${to}.`)
    case 'blocked':
      throw new MessageRefusedError(21408, `Messages to ${to} are blocked.`)
  }
}

/** Throws MessageRefusedError when the sender's carrier does not support the message. */
function checkCarrier(message: Carried, { routeOut }: Sender, carriers: Carriers): void {
  switch (uncarried(carrierOf(routeOut, carriers, message), message)) {
    case 'media':
      throw new MessageRefusedError(
        30011,
        'The carrier of the number takes no messages with media.',
      )
    case 'short-code':
      throw badDestination(message.to)
    case undefined:
  }
}

async function allowedSender(
  accountSid: string,
  { from, to, mediaUrls = [] }: NewMessage,
  { db, maySend, operators = UNKNOWN_OPERATORS }: CreateDeps,
): Promise<Sender> {
  const kind = mediaUrls.length > 0 ? 'mms' : 'sms'
  const operator = await operators.operatorOf(to)
  const verdict = await authorizeSender(db.read, maySend, { accountSid, from, kind, operator })
  if (verdict.type === 'allowed') return verdict.sender
  if (verdict.type === 'not-capable')
    throw new MessageRefusedError(
      21606,
      `The 'From' number ${from} cannot send messages: ${verdict.reason}.`,
    )
  throw new MessageRefusedError(30034, `The 'From' number ${from} may not send: ${verdict.reason}.`)
}

async function draftOf(
  read: Reader,
  accountSid: string,
  wanted: NewMessage,
  sender: Sender,
  now: number,
): Promise<MessageRecord> {
  const { mediaUrls = [] } = wanted
  const kind = mediaUrls.length > 0 ? 'mms' : 'sms'
  const segments = kind === 'mms' ? 1 : segmentText(wanted.body).segments.length
  const billedSid = await billedAccount(read, accountSid)
  const rate = await messageRate(read, { accountSid, billedSid, kind, to: wanted.to })
  const { sendAt, validitySeconds = MAX_VALIDITY_SECONDS } = wanted
  return {
    sid: newSid(kind === 'mms' ? 'MM' : 'SM'),
    accountSid,
    direction: wanted.direction,
    from: wanted.from,
    to: wanted.to,
    body: wanted.body,
    segments,
    subject: wanted.subject,
    numMedia: mediaUrls.length,
    status: sendAt === undefined ? 'queued' : 'scheduled',
    errorCode: undefined,
    price: undefined,
    cost: priceOfSegments(rate, segments),
    billedSid,
    scope: sender.scope,
    isKeywordAnswer: wanted.isKeywordAnswer ?? false,
    statusCallback: wanted.statusCallback,
    applicationSid: wanted.applicationSid,
    sendAt,
    expiresAt: (sendAt ?? now) + validitySeconds * 1_000,
    sentAt: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

/** Returns the price in 1/10,000 dollar, rounded up once per message. */
function priceOfSegments(ratePerSegment: number, segments: number): number {
  return Math.ceil((Math.max(0, ratePerSegment) * segments) / MICROS_PER_UNIT)
}

function requestOf(account: SendingAccount, key: string | undefined) {
  return key === undefined ? undefined : { caller: account.sid, key: `message ${key}` }
}

function kept({ sid }: MessageRecord, digest: string): KeptRequest {
  return { request: digest, status: 201, outcome: sid }
}

async function earlierOf(
  tx: Writer,
  account: SendingAccount,
  digest: string,
  earlier: KeptRequest | undefined,
): Promise<MessageRecord> {
  if (earlier !== undefined) refuseOther(earlier, digest)
  const found = await findMessage(tx, earlier?.outcome ?? '', account.sid)
  if (found !== undefined) return found
  throw new MessageRefusedError(20422, 'The message of this Idempotency-Key was deleted.')
}

/** Stores the failed attempt, so that the customer sees why nothing arrived. */
async function storeBlocked(tx: Writer, draft: MessageRecord): Promise<MessageRecord> {
  const refused = { status: 'failed', errorCode: 21610, cost: 0, numMedia: 0 } as const
  const blocked: MessageRecord = { ...draft, ...refused }
  await insertMessage(tx, blocked)
  return blocked
}

async function reserveCost(tx: Writer, draft: MessageRecord, now: number): Promise<void> {
  const { sid, cost, billedSid, expiresAt } = draft
  if (cost === 0) return
  try {
    await reserve(tx, {
      reference: sid,
      accountSid: billedSid,
      fit: (available) => (available >= cost ? cost : 0),
      now,
      expiresAt: expiresAt + AFTERLIFE_MS,
    })
  } catch (error) {
    if (!(error instanceof InsufficientBalanceError)) throw error
    throw new InsufficientBalanceError('The balance of the account is too low for this message.')
  }
}

async function queue(
  tx: Writer,
  draft: MessageRecord,
  { rate, cap }: Sender,
  now: number,
): Promise<void> {
  const { sid, accountSid, segments, sendAt } = draft
  const wanted: WantedTurn = {
    bucket: rate?.bucket ?? null,
    takesMicros: rate === undefined ? 0 : takesMicros(rate, segments),
    pair: `${draft.from}>${draft.to}`,
    cap,
    segments,
  }
  const row = {
    sid,
    accountSid,
    pair: wanted.pair,
    scope: draft.scope,
    recipient: draft.to,
    bucket: wanted.bucket,
    takesMicros: wanted.takesMicros,
    capKey: cap?.key ?? null,
    capSegments: cap?.segments ?? null,
  }
  if (sendAt !== undefined) {
    await queueMessage(tx, { ...row, state: 'scheduled', dueAt: sendAt })
    return
  }
  const dueAt = await turnOf(tx, wanted, now)
  if (dueAt > draft.expiresAt)
    throw new MessageQueueFullError(
      `The queue of ${draft.from} is full: it is too long to wait for.`,
    )
  await queueMessage(tx, { ...row, state: 'queued', dueAt })
}
