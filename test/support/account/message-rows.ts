/** The specification's rows on messages: sending, reports, and whether numbers may send. */
import type { AccountRow } from './account-rows.js'

const TN = '2025550111'

export const LEGACY_MESSAGE_ROWS: readonly AccountRow[] = [
  {
    id: 'legacySendSms',
    row: 'Send SMS',
    method: 'POST',
    paths: ['/v2.1/messaging/sms/'],
    body: { source: Number(TN), destination: 13_035_550_142, messageText: 'Hello' },
    status: 200,
    fields: { message: { transaction: { transactionGUID: 'string', destination: 'string' } } },
    required: ['source', 'destination', 'messageText'],
    needs: 'number',
  },
  {
    id: 'legacyDeliveryReports',
    row: 'Delivery reports',
    method: 'POST',
    paths: ['/v2.1/messaging/dlr/'],
    body: { number: Number(TN) },
    status: 200,
    fields: { dlr: [{ id: 'string', key: 'array', value: 'object' }] },
    required: ['number'],
    needs: 'message',
  },
  {
    id: 'legacySmsDetails',
    row: 'SMS detail report',
    method: 'POST',
    paths: ['/v2.1/messaging/mdr-sms/'],
    body: { number: Number(TN) },
    status: 200,
    fields: { mdr: [{ id: 'string', key: 'array', value: 'object' }] },
    required: ['number'],
    needs: 'message',
  },
  {
    id: 'legacyMessagingStatus',
    row: 'Number status',
    method: 'POST',
    paths: ['/v2.1/messaging/status/'],
    body: { numbers: [{ number: TN }] },
    status: 200,
    fields: { message: 'string', numbers: [{ number: 'string', status: 'string' }] },
    required: ['numbers'],
    needs: 'number',
  },
]
