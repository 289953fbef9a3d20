/** Messages in the legacy style: sending, and reports of a number. */
import { z } from '@hono/zod-openapi'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { pageFields, shownNext, shownPlace } from '../list-pages.js'
import { destination, number } from '../numbers/number-fields.js'
import {
  legacyMmsOperation,
  LEGACY_STATUSES as STATUSES,
  sentTransaction,
  toTransaction,
} from './legacy-mms-operation.js'
import {
  boundsOf,
  deliveryReport,
  detailRecord,
  messageText,
  newerBound,
  olderBound,
  toDeliveryReport,
  toDetailRecord,
  windowOf,
} from './message-fields.js'
import type { MessagingDeps } from './message-operations.js'
import { operatorsFor, sendMessage } from './send-message.js'

const NOT_HELD = 'Number not found on account'

export function legacyMessageOperations(deps: MessagingDeps): AccountOperation[] {
  return [sendOperation(deps), legacyMmsOperation(deps), ...reportOperations(deps)]
}

function sendOperation({ messages }: MessagingDeps): AccountOperation {
  return legacy({
    id: 'legacySendSms',
    summary: 'Send a text message',
    path: '/messaging/sms/',
    row: 'Send SMS',
    body: { source: number, destination, messageText: messageText.min(1) },
    keys: { message: sentTransaction },
    errors: [402, 405, 406, 422],
    prepare: ({ caller, body }) =>
      operatorsFor(messages, caller, { from: body.source, to: body.destination }),
    run: async ({ caller, body }, operators) => {
      const { source: from, destination: to, messageText: text } = body
      const wanted = { from, to, body: text }
      const sent = await sendMessage(messages, caller, wanted, operators, STATUSES)
      return { message: toTransaction(sent) }
    },
  })
}

const window = { start: newerBound, end: olderBound }

interface Asked {
  readonly number: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

function reportOperations({ messages, clock }: MessagingDeps): AccountOperation[] {
  /** The window of a request; fails for a number that the account does not hold. */
  const wantedOf = async (accountSid: string, { number: e164, start, end }: Asked) => {
    if ((await messages.stateOf(accountSid, e164)) === 'not-held')
      throw new ApiFailure(403, NOT_HELD)
    const bounds = boundsOf(windowOf(clock.now(), { newer: start, older: end }))
    return { number: e164, ...bounds }
  }
  const details = (kind: 'sms' | 'mms', id: string, summary: string) =>
    legacy({
      id,
      summary,
      description: 'The bounds may come in either order.',
      path: `/messaging/mdr-${kind}/`,
      row: `${kind.toUpperCase()} detail report`,
      idempotency: 'none',
      body: { number, ...window, ...pageFields() },
      keys: {
        mdr: z.array(detailRecord).openapi({ description: 'The newest first.' }),
        next: shownNext,
      },
      errors: [404],
      run: async ({ caller, body }) => {
        const wanted = await wantedOf(caller.sid, body)
        const found = await messages.historyOf(caller.sid, { ...wanted, kind }, body)
        if (found.items.length === 0) throw new ApiFailure(404, 'Not Found', { mdr: [] })
        return {
          mdr: found.items.map((each) => toDetailRecord(body.number, each)),
          next: shownPlace(found.nextAfter),
        }
      },
    })
  return [
    legacy({
      id: 'legacyDeliveryReports',
      summary: 'List the delivery reports of a number in a window',
      description: 'The bounds may come in either order.',
      path: '/messaging/dlr/',
      row: 'Delivery reports',
      idempotency: 'none',
      body: { number, ...window, ...pageFields() },
      keys: {
        dlr: z.array(deliveryReport).openapi({ description: 'The newest first.' }),
        next: shownNext,
      },
      run: async ({ caller, body }) => {
        const wanted = await wantedOf(caller.sid, body)
        const sent = await messages.sentFrom(caller.sid, wanted, body)
        return {
          dlr: sent.items.flatMap((each) => toDeliveryReport(body.number, each)),
          next: shownPlace(sent.nextAfter),
        }
      },
    }),
    details('sms', 'legacySmsDetails', 'List the texts of a number in a window'),
    details('mms', 'legacyMmsDetails', 'List the messages with media of a number in a window'),
  ]
}
