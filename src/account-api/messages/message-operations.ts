/** Messages in the REST style: sending one, and the history of a number. */
import { z } from '@hono/zod-openapi'
import { MAX_MEDIA, MAX_MEDIA_URL } from '../../messages/message-media.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
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
  operatorsFor,
  type RefusalStatuses,
  sendMessage,
} from './send-message.js'

export interface MessagingDeps {
  readonly db: Pick<Database, 'inOneCommit'>
  readonly messages: AccountMessages
  readonly campaigns: AccountCampaigns
  /** Mails the account that numbers of it will soon need a campaign; the numbers as they are shown. */
  readonly announceCampaigns: (accountSid: string, numbers: readonly string[]) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
}

const STATUSES: RefusalStatuses = { notHeld: 403, notEnabled: 409, optedOut: 409, queueFull: 429 }

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

export function messageOperations(deps: MessagingDeps): AccountOperation[] {
  return [sendOperation(deps), listOperation(deps)]
}

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
      const sent = await sendMessage(messages, caller, wanted, operators, STATUSES)
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
        throw new ApiFailure(403, 'Number not found on account')
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
