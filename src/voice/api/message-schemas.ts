/** The forms and the wire form of the Messages resource. */
import { z } from '@hono/zod-openapi'
import { dollarText } from '../../ledger/money.js'
import type { MessageMedia } from '../../messages/message-media.js'
import {
  MAX_VALIDITY_SECONDS,
  MESSAGE_STATUSES,
  type MessageRecord,
} from '../../messages/message-record.js'
import { lastOf } from '../../platform/api/repeated.js'
import { ERROR_CATALOGUE, isErrorNumber } from '../errors/error-catalogue.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  integer,
  oneOf,
  optionalSid,
  optionalText,
  text,
  textList,
} from './dialect/form.js'
import { said } from './dialect/operation.js'

/** Higher than the allowed number of media, so that the messages feature reports the error. */
const MAX_LISTED = 1_000
const ANY = () => optionalText()

export const createMessageForm = z
  .object({
    To: text(),
    From: optionalText(),
    Body: optionalText(/^[^\0]*$/u, 'has characters that are not allowed', 100_000),
    StatusCallback: callbackUrl(),
    ApplicationSid: optionalSid('AP'),
    ValidityPeriod: integer(1, MAX_VALIDITY_SECONDS),
    ScheduleType: oneOf(['fixed']),
    SendAt: ANY(),
    MediaUrl: textList(MAX_LISTED, () => true, 'is not valid'),
    MessagingServiceSid: ANY(),
    MaxPrice: ANY(),
    ProvideFeedback: flag(),
    Attempt: ANY(),
    ForceDelivery: flag(),
    SmartEncoded: flag(),
    ContentRetention: ANY(),
    AddressRetention: ANY(),
    PersistentAction: ANY(),
    ShortenUrls: flag(),
    SendAsMms: flag(),
    RiskCheck: ANY(),
  })
  .openapi('CreateMessage')

export const updateMessageForm = z
  .object({
    Body: z.preprocess(lastOf, z.literal('').optional()),
    Status: oneOf(['canceled']),
  })
  .openapi('UpdateMessage')

export const MESSAGE_FIELD_ERRORS: FieldErrors = {
  To: { invalid: 21211, missing: 21604 },
  From: { invalid: 21212 },
  MediaUrl: { invalid: 21620 },
  StatusCallback: { invalid: 21609 },
  ApplicationSid: { invalid: 21218 },
  ScheduleType: { invalid: 35117 },
}

export const messageResource = z
  .object({
    sid: said('The sid of the message: SM or, with media, MM and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    api_version: said('The version of the API.'),
    body: said('The text; empty once it was redacted.'),
    direction: z
      .enum(['inbound', 'outbound-api', 'outbound-reply'])
      .openapi({ description: 'Where it comes from.' }),
    from: said('The number that it comes from.'),
    to: said('The number that it goes to.'),
    status: z.enum(MESSAGE_STATUSES).openapi({ description: 'How far it has come.' }),
    num_segments: said('The segments that it is sent and charged as.'),
    num_media: said('The number of its media.'),
    messaging_service_sid: said('Always null: there are no messaging services.').nullable(),
    error_code: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'The number of the reason why it did not arrive.' }),
    error_message: said('The meaning of error_code.').nullable(),
    price: said('What it costs, as a negative amount; null until it is charged.').nullable(),
    price_unit: said('Always USD.'),
    date_created: said('When it was made, as in RFC 2822.'),
    date_sent: said('When a carrier took it, as in RFC 2822.').nullable(),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('Message')

export const mediaResource = z
  .object({
    sid: said('The sid of the media: ME and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    parent_sid: said('The sid of its message.'),
    content_type: said('Its type.'),
    date_created: said('When it was made, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
  })
  .openapi('MessageMedia')

export function messageToWire(message: MessageRecord): z.infer<typeof messageResource> {
  const { accountSid, errorCode, price, sid } = message
  const path = `/${API_VERSION}/Accounts/${accountSid}/Messages/${sid}`
  return {
    sid,
    account_sid: accountSid,
    api_version: API_VERSION,
    body: message.body,
    direction: message.direction,
    from: message.from,
    to: message.to,
    status: message.status,
    num_segments: String(message.segments),
    num_media: String(message.numMedia),
    messaging_service_sid: null,
    error_code: errorCode ?? null,
    error_message: isErrorNumber(errorCode) ? ERROR_CATALOGUE[errorCode].text : null,
    price: price === undefined || price === 0 ? null : dollarText(-price),
    price_unit: 'USD',
    date_created: dateOf(message.createdAt),
    date_sent: message.sentAt === undefined ? null : dateOf(message.sentAt),
    date_updated: dateOf(message.updatedAt),
    uri: `${path}.json`,
    subresource_uris: { media: `${path}/Media.json` },
  }
}

export function mediaToWire(media: MessageMedia): z.infer<typeof mediaResource> {
  const { accountSid, messageSid, sid } = media
  return {
    sid,
    account_sid: accountSid,
    parent_sid: messageSid,
    content_type: media.contentType,
    date_created: dateOf(media.createdAt),
    date_updated: dateOf(media.updatedAt),
    uri: `/${API_VERSION}/Accounts/${accountSid}/Messages/${messageSid}/Media/${sid}.json`,
  }
}

function dateOf(at: number): string {
  return rfc2822(new Date(at))
}
