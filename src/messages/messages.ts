/** Messages of accounts: one service behind every API that sends them. */
import type { Account } from '../accounts/accounts.js'
import type { DestinationsOf } from '../destinations/destinations-of.js'
import type { Ledger } from '../ledger/ledger.js'
import { Pump } from '../platform/async/pump.js'
import { KeyedQueue } from '../platform/async/serial-queue.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import {
  cutPage,
  type Page,
  type PageRequest,
  type Position,
  type UncountedPage,
} from '../platform/database/newest-first.js'
import type { KeysetPage } from '../platform/database/oldest-first.js'
import { StorageBusyError } from '../platform/database/storage-error.js'
import { FileStoreError } from '../platform/files/file-store.js'
import { parseSid } from '../platform/ids.js'
import type { Logger } from '../platform/log.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import type { Channel } from '../platform/outbox/channel.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { nextAttemptAt, type RetrySchedule } from '../platform/outbox/retry-schedule.js'
import type { Enqueue, TransactionalOutbox } from '../platform/outbox/transactional-outbox.js'
import type { MaySend } from '../registry/registry.js'
import type { InboundMessage, MessageCarrier, Receipt } from './carrier.js'
import { fileOf } from './media/gather-media.js'
import type { MediaLinks } from './media/media-links.js'
import type { MediaStore } from './media/media-store.js'
import { storedMedia } from './media/stored-media.js'
import {
  MessageNotFoundError,
  MessageNotScheduledError,
  MessageUnderWayError,
} from './message-errors.js'
import type { MessageMedia } from './message-media.js'
import type { MessageRecord } from './message-record.js'
import { askedAhead, type OperatorLookup, UNKNOWN_OPERATORS } from './operator-lookup.js'
import { createInboundChannel } from './receiving/inbound-channel.js'
import type { Applications } from './receiving/inbound-deps.js'
import { createInboundMailChannel } from './receiving/inbound-mail.js'
import { receiveMessage } from './receiving/receive-message.js'
import { applyEvent } from './sending/apply-event.js'
import { createMessage, type NewMessage } from './sending/create-message.js'
import {
  createMessagingNumbers,
  type MessagingNumbers,
  type MessagingRefusal,
  type SenderState,
  type ShownMessaging,
} from './sending/messaging-numbers.js'
import { receiveReceipt } from './sending/receive-receipt.js'
import { releaseMessages } from './sending/release-messages.js'
import { createSubmitChannel } from './sending/submit-channel.js'
import { deleteMedia, isFileUsed, type MediaRow, mediaRows } from './storage/media-storage.js'
import { messagesSent, messagesTaken, type NumberHistory } from './storage/message-history.js'
import {
  changeMessage,
  deleteMessage,
  findMessage,
  listMessages,
  type MessageFilter,
} from './storage/message-storage.js'

export type {
  Applications as MessageApplications,
  MessageFilter,
  MessagingRefusal,
  NewMessage,
  NumberHistory,
  SenderState,
  ShownMessaging,
}

type MessagePage = UncountedPage<MessageRecord>

export interface Messages extends MessagingNumbers, AsyncDisposable {
  /**
   * Stores an outbound message. Rejects with MessageRefusedError, InsufficientBalanceError or
   * MessageQueueFullError. Within `inOneCommit` pass the `operators` from `askAhead`.
   */
  create(account: Account, wanted: NewMessage, operators?: OperatorLookup): Promise<MessageRecord>
  /** Looks up the operator of a destination before the transaction that creates the message. Never rejects. */
  askAhead(to: string): Promise<OperatorLookup>
  /** Rejects with MessageNotFoundError, as the others below do. */
  fetch(accountSid: string, sid: string): Promise<MessageRecord>
  list(accountSid: string, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRecord>>
  /** Lists the messages of one number in a time window, newest first. */
  historyOf(accountSid: string, wanted: NumberHistory, page: KeysetPage): Promise<MessagePage>
  /** Like `historyOf`, without inbound messages. */
  sentFrom(accountSid: string, wanted: NumberHistory, page: KeysetPage): Promise<MessagePage>
  /** Empties the text. Rejects with MessageUnderWayError until a carrier has accepted the message. */
  redact(accountSid: string, sid: string): Promise<MessageRecord>
  /** Rejects with MessageNotScheduledError. */
  cancel(accountSid: string, sid: string): Promise<MessageRecord>
  /** Deletes the record. Rejects with MessageUnderWayError until a carrier has accepted the message. */
  remove(accountSid: string, sid: string): Promise<void>
  /** Lists the stored media of a message, in their order. */
  mediaOf(accountSid: string, sid: string): Promise<readonly MessageMedia[]>
  /** Rejects with MessageMediaNotFoundError, as `removeMedia` does. */
  fetchMedia(accountSid: string, sid: string, mediaSid: string): Promise<MessageMedia>
  removeMedia(accountSid: string, sid: string, mediaSid: string): Promise<void>
  /** Returns a short-lived link to the media's file that needs no credentials. */
  linkTo(media: MessageMedia): string
  /** Resolves with such a link for a media URL from a webhook; undefined for an expired or deleted one. */
  followLink(proof: string, mediaSid: string): Promise<string | undefined>
  /** Handles a delivery receipt; resolves once it is stored. */
  receive(receipt: Receipt): Promise<void>
  /** Handles an inbound message; resolves once it is stored. */
  take(inbound: InboundMessage): Promise<void>
  /** Starts sending, including messages of an earlier process. The outbox is started separately. */
  start(): void
  /** Resolves when no message is due. */
  settle(): Promise<void>
}

export interface MessagesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly ledger: Pick<Ledger, 'post'>
  /** The outbox for messages; the caller starts it after creating this service. */
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
  readonly carrier: MessageCarrier
  /** Further carriers that a number may be routed to. */
  readonly otherCarriers?: readonly MessageCarrier[]
  readonly maySend: MaySend
  /** Allowed destinations of an account's messages. */
  readonly destinationsOf: DestinationsOf
  /** Looks up the operators of destinations; without it none is known. */
  readonly operators?: OperatorLookup
  readonly applications: Applications
  readonly mediaStore: MediaStore
  readonly mediaLinks: MediaLinks
}

interface RemovalDeps {
  readonly removals: TransactionalOutbox<MediaRow>
}

/** Pause after a conflict with another server's release, ms. */
const CROSSED_MS = 100
const UNDER_WAY: readonly string[] = ['scheduled', 'queued', 'sending']

/** Retries until an unreachable store is available again. */
const REMOVAL_SCHEDULE: RetrySchedule = {
  firstDelayMs: 1_000,
  maxDelayMs: 600_000,
  horizonMs: Number.POSITIVE_INFINITY,
}

interface RemovalChannelDeps {
  readonly db: Database
  readonly mediaStore: MediaStore
}

export function createMessages(deps: MessagesDeps): Messages {
  const { clock, log, operators = UNKNOWN_OPERATORS } = deps
  const queue = deps.outbox.open(createSubmitChannel(deps))
  const requests = deps.outbox.open(
    createInboundChannel({
      ...deps,
      onReply: () => {
        if (isStarted) pump.wake()
      },
    }),
  )
  const mails = deps.outbox.open(createInboundMailChannel(deps))
  const removals = deps.outbox.open(createRemovalChannel(deps))
  const arrivals = new KeyedQueue()
  let isStarted = false
  const pump = new Pump({
    name: 'release of messages',
    log,
    look: async (signal) => {
      try {
        return await releaseMessages({ ...deps, queue }, signal)
      } catch (err) {
        if (!(err instanceof StorageBusyError)) throw err
        // Another server that shares the database released them: the rest is found at the next look.
        log.debug({ err }, 'the messages that are due were released elsewhere')
        return clock.now() + CROSSED_MS
      }
    },
    now: () => clock.now(),
  })
  return {
    create: async (account, wanted, known = operators) => {
      const message = await createMessage(account, wanted, { ...deps, operators: known })
      if (isStarted) pump.wake()
      return message
    },
    askAhead: (to) => askedAhead(operators, to),
    ...storedMessages({ ...deps, removals }),
    ...storedMedia({ ...deps, removals }),
    ...messagesOfNumbers(deps),
    ...createMessagingNumbers(deps),
    receive: (receipt) => receiveReceipt(receipt, deps),
    take: async (inbound) => {
      // A keyword waits for a look-up; the next message between the two numbers must not overtake it.
      await arrivals.run(`${inbound.from}>${inbound.to}`, () =>
        receiveMessage(inbound, { ...deps, requests, mails }),
      )
      requests.wake()
      if (isStarted) pump.wake()
    },
    start: () => {
      isStarted = true
      pump.wake()
    },
    settle: async () => {
      if (isStarted) await pump.settled()
      await deps.outbox.settled()
    },
    [Symbol.asyncDispose]: () => pump[Symbol.asyncDispose](),
  }
}

/** Returns the outbox channel that removes files of deleted media once no other message uses them. */
function createRemovalChannel({ db, mediaStore }: RemovalChannelDeps): Channel<MediaRow> {
  return {
    name: 'message-media-removal',
    // A media that was being fetched may already have its file.
    toRow: ({ sid, accountSid, file }) => ({
      stream: `media ${file ?? fileOf(sid)}`,
      accountSid,
      kind: 'message-media-removal',
      payload: { file: file ?? fileOf(sid) },
    }),
    deliver: async (row) => {
      const { file } = row.payload as { readonly file: string } // as `toRow` has written it
      try {
        if (!(await isFileUsed(db.read, file))) await mediaStore.remove(file)
        return { type: 'delivered', status: undefined, error: undefined }
      } catch (error) {
        if (!(error instanceof FileStoreError)) throw error
        return { type: 'failed', status: undefined, error: error.message }
      }
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(REMOVAL_SCHEDULE, row, now, random),
  }
}

function messagesOfNumbers({
  db,
}: Pick<MessagesDeps, 'db'>): Pick<Messages, 'historyOf' | 'sentFrom'> {
  return {
    historyOf: async (accountSid, wanted, page) => {
      const all = [
        ...(await messagesSent(db.read, accountSid, wanted, oneMore(page))),
        ...(await messagesTaken(db.read, accountSid, wanted, oneMore(page))),
      ]
      all.sort((a, b) => b.createdAt - a.createdAt || (a.sid < b.sid ? 1 : -1))
      return cutPage(all, page.limit, placeOf)
    },
    sentFrom: async (accountSid, wanted, page) => {
      const sent = await messagesSent(db.read, accountSid, wanted, oneMore(page))
      return cutPage(sent, page.limit, placeOf)
    },
  }
}

/** Returns the page with one extra message, which shows whether another page follows. */
function oneMore({ limit, after }: KeysetPage): KeysetPage {
  return { limit: limit + 1, after }
}

function placeOf({ createdAt, sid }: MessageRecord): Position {
  return { at: createdAt, sid }
}

function storedMessages(
  deps: MessagesDeps & RemovalDeps,
): Pick<Messages, 'fetch' | 'list' | 'redact' | 'cancel' | 'remove'> {
  const { db, clock, callbacks, ledger, removals } = deps
  const fetch: Messages['fetch'] = async (accountSid, sid) => {
    const known = parseSid('SM', sid) ?? parseSid('MM', sid) ?? ''
    const found = await findMessage(db.read, known, accountSid)
    if (found === undefined) throw new MessageNotFoundError(`there is no message ${sid}`)
    return found
  }
  const settled = async (accountSid: string, sid: string): Promise<MessageRecord> => {
    const message = await fetch(accountSid, sid)
    if (UNDER_WAY.includes(message.status))
      throw new MessageUnderWayError(`The message is ${message.status}: it is not sent yet.`)
    return message
  }
  return {
    fetch,
    list: (accountSid, filter, page) => listMessages(db.read, accountSid, filter, page),
    redact: async (accountSid, sid) => {
      const updatedAt = clock.now()
      let message = await settled(accountSid, sid)
      const change = { body: '', numMedia: 0, updatedAt }
      // A concurrent receipt may have changed the status.
      while (!(await removals.commit((tx, enqueue) => redact(tx, message, change, enqueue))))
        message = await settled(accountSid, sid)
      return { ...message, body: '', numMedia: 0, updatedAt }
    },
    cancel: async (accountSid, sid) => {
      const now = clock.now()
      const { sid: known, status } = await fetch(accountSid, sid)
      const canceled = await callbacks.commit(async (tx, enqueue) => {
        const message = await findMessage(tx, known, accountSid)
        const scope = { tx, enqueue, ledger, now }
        return message && (await applyEvent(scope, message, { type: 'cancel-requested' }))
      })
      if (canceled !== undefined) return canceled
      throw new MessageNotScheduledError(`The message is ${status}, not scheduled.`)
    },
    remove: async (accountSid, sid) => {
      let message = await settled(accountSid, sid)
      while (!(await removals.commit((tx, enqueue) => remove(tx, message, enqueue))))
        message = await settled(accountSid, sid)
    },
  }
}

/** Stores the change and queues the removal of the media's files; false when the status differs. */
async function redact(
  tx: Writer,
  message: MessageRecord,
  change: Parameters<typeof changeMessage>[2],
  enqueue: Enqueue<MediaRow>,
): Promise<boolean> {
  if (!(await changeMessage(tx, message, change))) return false
  await enqueue(await deleteMedia(tx, message.sid))
  return true
}

/** Deletes the record and queues the removal of the media's files; false when the status differs. */
async function remove(
  tx: Writer,
  message: MessageRecord,
  enqueue: Enqueue<MediaRow>,
): Promise<boolean> {
  const media = await mediaRows(tx, message.sid)
  if (!(await deleteMessage(tx, message))) return false
  await enqueue(media)
  return true
}
