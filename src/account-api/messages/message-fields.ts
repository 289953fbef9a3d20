/** Message fields of both styles, and the wire form of a history. */
import { createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { MessageRecord } from '../../messages/message-record.js'
import type { ReceiptState } from '../../messages/receipt-state.js'
import { dollars } from '../account-billing.js'
import { isoTime, shownText, unixTime } from '../fields.js'
import { shownTn } from '../numbers/number-fields.js'

/** The text of a message. The messages feature enforces the maximum length. */
export const messageText = z
  .string()
  .regex(/^[^\0]*$/u, 'a text without NUL is expected')
  .max(100_000)
  .openapi({ description: 'The text, at most 1,600 characters.' })

export const messageSubject = z
  .string()
  .regex(/^[^\0\r\n]*$/u, 'a line without NUL is expected')
  .max(256)
  .openapi({ description: 'The subject of a message with media.' })

/** The kind of a message, named the same in both styles. */
export function kindOf({ sid }: MessageRecord): 'sms' | 'mms' {
  return sid.startsWith('MM') ? 'mms' : 'sms'
}

const DAY_SECONDS = 86_400

export const newerBound = unixTime('The newer bound, in Unix time; by default now.').optional()
export const olderBound = unixTime(
  'The older bound, in Unix time; by default a day ago.',
).optional()

/** The window in seconds; its bounds may come in either order. */
export function windowOf(
  nowMs: number,
  asked: { readonly newer: number | undefined; readonly older: number | undefined },
): { readonly newer: number; readonly older: number } {
  const now = Math.floor(nowMs / 1_000)
  const { newer = now, older = now - DAY_SECONDS } = asked
  return { newer: Math.max(newer, older), older: Math.min(newer, older) }
}

/** The window in ms, including the whole second of the newer bound. */
export function boundsOf({ newer, older }: ReturnType<typeof windowOf>) {
  return { from: older * 1_000, before: (newer + 1) * 1_000 }
}

const id = shownText('40 hex digits.')
const key = z
  .array(z.string())
  .openapi({ description: 'The number, and the time of the message in seconds of the epoch.' })

export const detailRecord = z
  .object({
    id,
    key,
    value: z
      .object({
        direction: z.enum(['in', 'out']).openapi({ description: 'Where it went.' }),
        rate: shownText('What it has cost, in dollars.'),
        message: shownText('The text; empty once it was redacted.'),
        number: shownText('The number at the other side.'),
      })
      .openapi({ description: 'The record.' }),
  })
  .openapi('MessageDetailRecord')

export const deliveryReport = z
  .object({
    id,
    key,
    value: z
      .object({
        sourceNumber: shownText('The number that it came from.'),
        destinationNumber: shownText('The number that it went to.'),
        status: z
          .enum(['DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'ACCEPTD', 'ENROUTE', 'UNKNOWN'])
          .openapi({ description: 'How far it has come, in the words of SMPP.' }),
        errorCode: shownText('The number of the reason why it did not arrive; empty: none.'),
        timestamp: shownText('The time of its last change (ISO 8601).'),
        transactionGUID: shownText('The id that the answer to its sending had.'),
      })
      .openapi({ description: 'The report.' }),
  })
  .openapi('DeliveryReport')

/** Id and key of an item. */
function nameOf(number: string, { sid, createdAt }: MessageRecord) {
  return {
    id: createHash('sha1').update(sid).digest('hex'),
    key: [shownTn(number), String(Math.floor(createdAt / 1_000))],
  }
}

export function toDetailRecord(number: string, message: MessageRecord) {
  const isIn = message.direction === 'inbound'
  return {
    ...nameOf(number, message),
    value: {
      direction: isIn ? ('in' as const) : ('out' as const),
      rate: String(dollars(message.price ?? 0)),
      message: message.body,
      number: shownTn(isIn ? message.from : message.to),
    },
  }
}

/** The delivery report of a message; empty for one that was never sent. */
export function toDeliveryReport(number: string, message: MessageRecord) {
  const status = reportedStatus(message)
  if (status === undefined) return []
  return [
    {
      ...nameOf(number, message),
      value: {
        sourceNumber: shownTn(message.from),
        destinationNumber: shownTn(message.to),
        status,
        errorCode: message.errorCode === undefined ? '' : String(message.errorCode),
        timestamp: isoTime(message.updatedAt),
        transactionGUID: message.sid,
      },
    },
  ]
}

type ReportedStatus = Exclude<ReceiptState, 'DELETED'>

const EXPIRED = 30036
const FILTERED = 30007
const UNREACHABLE = 30003

function reportedStatus({ status, errorCode }: MessageRecord): ReportedStatus | undefined {
  if (status === 'delivered') return 'DELIVRD'
  if (status === 'sent') return 'ACCEPTD'
  if (status === 'queued' || status === 'sending') return 'ENROUTE'
  if (status !== 'undelivered' && status !== 'failed') return undefined
  if (errorCode === EXPIRED) return 'EXPIRED'
  if (status === 'failed' || errorCode === FILTERED) return 'REJECTD'
  return errorCode === UNREACHABLE ? 'UNDELIV' : 'UNKNOWN'
}
