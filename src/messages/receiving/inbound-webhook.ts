/** The webhook for inbound messages, and what its answer may hold. */
import type { WebhookParams } from '../../platform/webhooks/signature.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import type { Keyword } from '../rules/keyword.js'

/** Webhook of a number or of its application. */
export interface InboundWebhook {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly fallbackUrl: string | undefined
  readonly fallbackMethod: 'GET' | 'POST'
  readonly applicationSid: string | undefined
}

/** A reply in the webhook's answer, with both numbers as written. */
export interface WantedReply {
  readonly body: string
  readonly mediaUrls: readonly string[]
  readonly to: string | undefined
  readonly from: string | undefined
  readonly statusCallback: string | undefined
}

/** API version in the webhook parameters. */
const API_VERSION = '2010-04-01'

export function inboundParams(
  message: MessageRecord,
  keyword: Keyword | undefined,
  applicationSid: string | undefined,
  countryOf: (e164: string) => string | undefined,
): WebhookParams {
  const { accountSid, body, from, sid, to } = message
  return [
    ['MessageSid', sid],
    ['SmsSid', sid],
    ['SmsMessageSid', sid],
    ['AccountSid', accountSid],
    ['From', from],
    ['To', to],
    ['Body', body],
    ['NumSegments', String(message.segments)],
    ['SmsStatus', 'received'],
    ['ApiVersion', API_VERSION],
    ...placeParams('From', countryOf(from)),
    ...placeParams('To', countryOf(to)),
    ...(keyword === undefined ? [] : [['OptOutType', keyword.toUpperCase()] as const]),
    ...(applicationSid === undefined ? [] : [['ApplicationSid', applicationSid] as const]),
  ]
}

/** Returns the parameters for the media, which are stored by then. */
export function mediaParams(
  media: readonly MessageMedia[],
  urlOf: (sid: string) => string,
): WebhookParams {
  return [
    ['NumMedia', String(media.length)],
    ...media.flatMap(
      ({ sid, contentType }, index): WebhookParams => [
        [`MediaUrl${index}`, urlOf(sid)],
        [`MediaContentType${index}`, contentType],
      ],
    ),
  ]
}

/** City, state and zip would need a directory, so they are empty. */
function placeParams(end: 'From' | 'To', country: string | undefined): WebhookParams {
  return [
    [`${end}City`, ''],
    [`${end}State`, ''],
    [`${end}Zip`, ''],
    [`${end}Country`, country ?? ''],
  ]
}
