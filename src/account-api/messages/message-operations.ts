/** Messages in both styles: sending, and the history of a number. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { MAX_MEDIA, MAX_MEDIA_URL } from '../../messages/message-media.js'
import type { OperatorLookup } from '../../messages/operator-lookup.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacyError } from '../dialect/legacy-dialect.js'
import { legacy, legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { isoTime, shownText } from '../fields.js'
import { pageFields, shownNext, shownPlace } from '../list-pages.js'
import { destination, number, shownNumberField, shownTn } from '../numbers/number-fields.js'
import type { AccountCampaigns } from './account-campaigns.js'
import {
  boundsOf,
  deliveryReport,
  detailRecord,
  kindOf,
  messageSubject,
  messageText,
  newerBound,
  olderBound,
  toDeliveryReport,
  toDetailRecord,
  windowOf,
} from './message-fields.js'
import {
  type AccountMessages,
  NOT_HELD,
  operatorsFor,
  sendMessage,
  type WantedText,
} from './send-message.js'

export interface MessagingDeps {
  readonly db: Pick<Database, 'inOneCommit'>
  readonly messages: AccountMessages
  readonly campaigns: AccountCampaigns
  /** Mails the account that these numbers will soon need a campaign; the numbers in display form. */
  readonly announceCampaigns: (accountSid: string, numbers: readonly string[]) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
}

const sentMessage = z.object({
  id: shownText('The id of the message, which the Messages resource of the voice API knows too.'),
  type: z.enum(['sms', 'mms']).openapi({ description: 'The kind of message: mms with media.' }),
  parts: z.number().int().openapi({ description: 'The segments that it is sent and charged as.' }),
  status: shownText('How far it has come: queued.'),
  fromNumber: shownNumberField,
  toNumber: shownNumberField,
  text: shownText('The text.'),
  createdAt: shownText('When it was made (ISO 8601).'),
})

const newMessage = z
  .strictObject({
    fromNumber: number,
    toNumber: destination,
    text: messageText
      .default('')
      .openapi({ description: 'The text; with media it may be absent.' }),
    mediaUrls: z
      .array(z.string().max(MAX_MEDIA_URL))
      .max(MAX_MEDIA)
      .optional()
      .openapi({ description: 'The URLs of its media, 5 MB together.' }),
    subject: messageSubject.optional(),
  })
  .superRefine(({ text, mediaUrls = [] }, context) => {
    if (text === '' && mediaUrls.length === 0)
      context.addIssue({ code: 'custom', path: ['text'], message: 'a text is expected' })
  })

export function messageOperations(deps: MessagingDeps): Styles {
  const operations = [sendOperation(deps), listOperation(deps)]
  return {
    rest: operations,
    legacy: [...legacySends(deps), ...legacyOver(operations, ...REPORTS)],
  }
}

const asked = {
  does: 'listMessages',
  description: 'The bounds may come in either order.',
  body: { number, start: newerBound, end: olderBound, ...pageFields() },
  as: { start: 'from', end: 'to' },
}
const listed = (item: z.ZodType) => ({
  of: 'messages',
  schema: z.array(item).openapi({ description: 'The newest first.' }),
})
const details = (type: 'sms' | 'mms') => ({
  ...asked,
  path: `/messaging/mdr-${type}/`,
  row: `${type.toUpperCase()} detail report`,
  errors: [404],
  always: { type },
  gives: { mdr: listed(detailRecord), next: 'next' },
  needs: 'mdr',
})
const REPORTS = [
  {
    ...asked,
    id: 'legacyDeliveryReports',
    summary: 'List the delivery reports of a number in a window',
    path: '/messaging/dlr/',
    row: 'Delivery reports',
    always: { type: 'dlr' },
    gives: { dlr: listed(deliveryReport), next: 'next' },
  },
  {
    ...details('sms'),
    id: 'legacySmsDetails',
    summary: 'List the texts of a number in a window',
  },
  {
    ...details('mms'),
    id: 'legacyMmsDetails',
    summary: 'List the messages with media of a number in a window',
  },
]

function sendOperation({ messages }: MessagingDeps): AccountOperation {
  return rest({
    id: 'sendMessage',
    summary: 'Send a message, with or without media',
    method: 'post',
    path: '/messages',
    status: 201,
    body: newMessage,
    data: sentMessage,
    errors: [402, 409],
    prepare: ({ caller, body }) =>
      operatorsFor(messages, caller, { from: body.fromNumber, to: body.toNumber }),
    run: async ({ caller, body }, operators) => {
      const { fromNumber: from, toNumber: to, text, mediaUrls, subject } = body
      const wanted = { from, to, body: text, mediaUrls, subject }
      const sent = await sendMessage(messages, caller, wanted, operators)
      return {
        id: sent.sid,
        type: kindOf(sent),
        parts: sent.segments,
        status: sent.status,
        fromNumber: shownTn(sent.from),
        toNumber: shownTn(sent.to),
        text: sent.body,
        createdAt: isoTime(sent.createdAt),
      }
    },
  })
}

function listOperation({ messages, clock }: MessagingDeps): AccountOperation {
  return rest({
    id: 'listMessages',
    summary: 'List the messages of a number in a window, or their delivery reports',
    description: 'The bounds may come in either order.',
    method: 'get',
    path: '/messages',
    query: z.object({
      number,
      type: z
        .enum(['sms', 'mms', 'dlr'])
        .default('sms')
        .openapi({ description: 'Texts, messages with media, or delivery reports.' }),
      from: newerBound,
      to: olderBound,
      ...pageFields(),
    }),
    data: z.object({
      number: shownNumberField,
      type: shownText('What is listed: sms, mms or dlr.'),
      fromTs: z.number().int().openapi({ description: 'The newer bound, in Unix time.' }),
      toTs: z.number().int().openapi({ description: 'The older bound, in Unix time.' }),
      messages: z
        .union([z.array(detailRecord), z.array(deliveryReport)])
        .openapi({ description: 'The newest first.' }),
      next: shownNext,
    }),
    run: async ({ caller, query }) => {
      const { number: e164, type } = query
      if ((await messages.stateOf(caller.sid, e164)) === 'not-held')
        throw new ApiFailure(403, NOT_HELD)
      const window = windowOf(clock.now(), { newer: query.from, older: query.to })
      const wanted = { number: e164, ...boundsOf(window) }
      const shown = { number: shownTn(e164), type, fromTs: window.newer, toTs: window.older }
      if (type !== 'dlr') {
        const found = await messages.historyOf(caller.sid, { ...wanted, kind: type }, query)
        const records = found.items.map((each) => toDetailRecord(e164, each))
        return { ...shown, messages: records, next: shownPlace(found.nextAfter) }
      }
      const sent = await messages.sentFrom(caller.sid, wanted, query)
      const reports = sent.items.flatMap((each) => toDeliveryReport(e164, each))
      return { ...shown, messages: reports, next: shownPlace(sent.nextAfter) }
    },
  })
}

/** The `message` of the answer to a queued message. */
const sentTransaction = z
  .object({
    transaction: z
      .object({
        transactionGUID: shownText('The id of the message.'),
        destination: shownText('The number that it goes to, with its country code.'),
      })
      .openapi({ description: 'The message that waits to be sent.' }),
  })
  .openapi({ description: 'What was done.' })

const mediaUrl = z
  .string()
  .max(4_000)
  .openapi({ description: 'The URL of its media; without one, a text is sent.' })

const mmsError = z
  .object({
    statusCode: z.literal('400').openapi({ description: 'The status of the answer, as a text.' }),
    status: z.literal('Error').openapi({ description: 'Always the same.' }),
    message: z
      .object({
        reason: shownText('Always Bad Request.'),
        detail: shownText('What is wrong.'),
        result: shownText('Always failed.'),
      })
      .openapi({ description: 'What is wrong with the message.' }),
  })
  .openapi('LegacyMmsError')

function legacySends({ messages }: MessagingDeps): AccountOperation[] {
  const send = async (account: Account, wanted: WantedText, operators: OperatorLookup) => {
    const { sid, to } = await sendMessage(messages, account, wanted, operators)
    const transaction = { transactionGUID: sid, destination: to.replace(/^\+/, '') }
    return { message: { transaction } }
  }
  const prepare = ({ caller, body }: LegacySending) =>
    operatorsFor(messages, caller, { from: body.source, to: body.destination })
  const keys = { message: sentTransaction }
  return [
    legacy({
      id: 'legacySendSms',
      summary: 'Send a text message',
      path: '/messaging/sms/',
      row: 'Send SMS',
      body: { source: number, destination, messageText: messageText.min(1) },
      keys,
      errors: [402, 405, 406, 422],
      prepare,
      run: ({ caller, body: { source: from, destination: to, messageText: text } }, operators) =>
        send(caller, { from, to, body: text }, operators),
    }),
    legacy({
      id: 'legacySendMms',
      summary: 'Send a message with media',
      path: '/messaging/mms/',
      row: 'Send MMS',
      body: {
        source: number,
        destination,
        messageText,
        mmsSubject: messageSubject.optional(),
        mmsURL: mediaUrl.optional(),
      },
      check: ({ messageText: text, mmsURL: url = '' }, context) => {
        if (text === '' && url === '')
          context.addIssue({ code: 'custom', path: ['messageText'], message: 'a text is expected' })
      },
      keys,
      errors: [400, 402, 405, 406, 422],
      problems: { 400: legacyError.or(mmsError) },
      prepare,
      run: async ({ caller, body }, operators) => {
        const { source: from, destination: to, messageText: text, mmsSubject: subject } = body
        const { mmsURL: url = '' } = body
        const mediaUrls = url === '' ? [] : [url]
        try {
          return await send(caller, { from, to, body: text, mediaUrls, subject }, operators)
        } catch (error) {
          if (!(error instanceof ApiFailure) || error.failure.status !== 400) throw error
          // In this refusal `message` is an object.
          const detail = { reason: 'Bad Request', detail: error.message, result: 'failed' }
          throw new ApiFailure(400, error.message, { message: detail })
        }
      },
    }),
  ]
}

interface LegacySending {
  readonly caller: Account
  readonly body: { readonly source: string; readonly destination: string }
}
