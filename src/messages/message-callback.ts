/** The webhook that reports a change of a message, in the convention's names. Pure. */
import type { NewCallback } from '../platform/outbox/callback.js'
import type { WebhookParams } from '../platform/webhooks/signature.js'
import type { MessageRecord } from './message-record.js'

/** The version of the convention that the parameters follow. */
const API_VERSION = '2010-04-01'

/** The callback of the message's present status; none when nobody asked for it. */
export function statusCallbacksOf(message: MessageRecord): readonly NewCallback[] {
  const { accountSid, sid, status, statusCallback } = message
  if (statusCallback === undefined) return []
  const { url, method } = statusCallback
  const params: WebhookParams = [
    ['MessageSid', sid],
    ['MessageStatus', status],
    ['SmsSid', sid],
    ['SmsStatus', status],
    ['AccountSid', accountSid],
    ['From', message.from],
    ['To', message.to],
    ['ApiVersion', API_VERSION],
    ...(message.applicationSid === undefined
      ? []
      : [['ApplicationSid', message.applicationSid] as const]),
    ...(message.errorCode === undefined ? [] : [['ErrorCode', String(message.errorCode)] as const]),
  ]
  return [{ stream: sid, accountSid, kind: 'message-status', url, method, params }]
}
