/** Sending a message with media in the legacy style, and what its sending operations share. */
import { z } from '@hono/zod-openapi'
import type { MessageRecord } from '../../messages/message-record.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacyError } from '../dialect/legacy-dialect.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { destination, number } from '../numbers/number-fields.js'
import { messageSubject, messageText } from './message-fields.js'
import type { MessagingDeps } from './message-operations.js'
import { operatorsFor, type RefusalStatuses, sendMessage } from './send-message.js'

export const LEGACY_STATUSES: RefusalStatuses = {
  notHeld: 405,
  notEnabled: 405,
  optedOut: 406,
  queueFull: 422,
}

/** The `message` of an answer to a message that waits to be sent. */
export const sentTransaction = z
  .object({
    transaction: z
      .object({
        transactionGUID: shownText('The id of the message.'),
        destination: shownText('The number that it goes to, with its country code.'),
      })
      .openapi({ description: 'The message that waits to be sent.' }),
  })
  .openapi({ description: 'What was done.' })

export function toTransaction({ sid, to }: MessageRecord): z.infer<typeof sentTransaction> {
  return { transaction: { transactionGUID: sid, destination: to.replace(/^\+/, '') } }
}

const mediaUrl = z
  .string()
  .max(4_000)
  .openapi({ description: 'The URL of its media; without one, a text is sent.' })

export function legacyMmsOperation({ messages }: MessagingDeps): AccountOperation {
  return legacy({
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
    keys: { message: sentTransaction },
    errors: [400, 402, 405, 406, 422],
    problems: { 400: legacyError.or(mmsError) },
    prepare: ({ caller, body }) =>
      operatorsFor(messages, caller, { from: body.source, to: body.destination }),
    run: async ({ caller, body }, operators) => {
      const { source: from, destination: to, messageText: text, mmsSubject: subject } = body
      const { mmsURL: url = '' } = body
      const wanted = { from, to, body: text, mediaUrls: url === '' ? [] : [url], subject }
      try {
        const sent = await sendMessage(messages, caller, wanted, operators, LEGACY_STATUSES)
        return { message: toTransaction(sent) }
      } catch (error) {
        throw error instanceof ApiFailure && error.failure.status === 400
          ? badMms(error.message)
          : error
      }
    },
  })
}

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

/** The refusal of a bad message with media, whose `message` is an object. */
function badMms(detail: string): ApiFailure {
  const message = { reason: 'Bad Request', detail, result: 'failed' }
  return new ApiFailure(400, detail, { message })
}
