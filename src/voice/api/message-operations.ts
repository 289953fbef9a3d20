/** The Messages resource: operations and list filters. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { isShortCode } from '../../destinations/short-code.js'
import type { StatusCallback } from '../../messages/message-record.js'
import type { Messages, NewMessage } from '../../messages/messages.js'
import type { Clock } from '../../platform/clock.js'
import type { Applications } from '../applications/applications.js'
import type { NumberBindings } from '../applications/number-bindings.js'
import { formatAddress, parseCallAddress } from '../model/address.js'
import { API_VERSION } from '../model/callback-params.js'
import { readTimeRange } from './dialect/date-filter.js'
import { ApiError } from './dialect/errors.js'
import { queryText } from './dialect/form.js'
import { list, operation, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'
import { readIdempotencyKey } from './idempotency-key.js'
import { MESSAGES, messageMediaOperations, messageSid } from './message-media-operations.js'
import {
  createMessageForm,
  MESSAGE_FIELD_ERRORS,
  messageResource,
  messageToWire,
  updateMessageForm,
} from './message-schemas.js'

export interface MessageDeps {
  readonly messages: Messages
  readonly applications: Applications
  readonly numbers: NumberBindings
  readonly clock: Clock
}

const MESSAGE = `${MESSAGES}/{Sid}` as const
const params = { Sid: messageSid }

const MIN_AHEAD_MS = 5 * 60_000
const MAX_AHEAD_MS = 35 * 86_400_000
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

export function messageOperations(deps: MessageDeps): VoiceOperation[] {
  return [
    ...messagesOfAccount(deps),
    ...oneMessage(deps.messages),
    ...messageMediaOperations(deps.messages),
  ]
}

function messagesOfAccount(deps: MessageDeps): VoiceOperation[] {
  const { messages } = deps
  return [
    operation({
      id: 'createMessage',
      summary: 'Send a message',
      method: 'post',
      path: MESSAGES,
      body: createMessageForm,
      fieldErrors: MESSAGE_FIELD_ERRORS,
      status: 201,
      response: messageResource,
      errors: [402],
      idempotency: 'own',
      run: async ({ caller, body, given, http }) => {
        const wanted = await newMessageOf(caller, body, deps)
        const key = readIdempotencyKey(http, given)
        return messageToWire(await messages.create(caller, { ...wanted, ...key }))
      },
    }),
    list({
      id: 'listMessages',
      summary: 'List messages, the newest first',
      path: MESSAGES,
      name: 'messages',
      record: messageResource,
      query: z.object({
        To: queryText('Only messages to this number.'),
        From: queryText('Only messages from this number.'),
        DateSent: queryText('Only messages sent on this day, or in this second.'),
        'DateSent<': queryText('Only messages sent before.'),
        'DateSent>': queryText('Only messages sent after.'),
      }),
      run: async ({ caller, query, http }, page) => {
        const { from, before } = readTimeRange(http.search, 'DateSent')
        const filter = {
          to: numberOf(query.To, caller),
          from: numberOf(query.From, caller),
          sentFrom: from,
          sentBefore: before,
        }
        const found = await messages.list(caller.sid, filter, page)
        return {
          ...found,
          items: found.items.map(messageToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Messages`,
        }
      },
    }),
  ]
}

function oneMessage(messages: Messages): VoiceOperation[] {
  return [
    operation({
      id: 'fetchMessage',
      summary: 'Get a message',
      method: 'get',
      path: MESSAGE,
      params,
      response: messageResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        messageToWire(await messages.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateMessage',
      summary:
        'Redact the text and media of a message with an empty Body, or cancel a scheduled one',
      method: 'post',
      path: MESSAGE,
      params,
      body: updateMessageForm,
      response: messageResource,
      errors: [404, 409],
      run: async ({ caller, params: { Sid }, body }) => {
        if (body.Status === 'canceled') await messages.cancel(caller.sid, Sid)
        if (body.Body === '') return messageToWire(await messages.redact(caller.sid, Sid))
        return messageToWire(await messages.fetch(caller.sid, Sid))
      },
    }),
    operation({
      id: 'deleteMessage',
      summary: 'Delete the record of a message, with its media',
      method: 'delete',
      path: MESSAGE,
      params,
      errors: [404, 409],
      run: ({ caller, params: { Sid } }) => messages.remove(caller.sid, Sid),
    }),
  ]
}

async function newMessageOf(
  caller: Account,
  form: z.infer<typeof createMessageForm>,
  deps: MessageDeps,
): Promise<NewMessage> {
  if (form.MessagingServiceSid !== undefined)
    throw new ApiError(400, 21705, 'The Messaging Service Sid is not valid')
  if (form.From === undefined) throw new ApiError(400, 21603, "A 'From' number is required")
  return {
    to: numberOf(form.To, caller) ?? '',
    from: numberOf(form.From, caller) ?? '',
    body: form.Body ?? '',
    mediaUrls: form.MediaUrl,
    direction: 'outbound-api',
    statusCallback: await statusCallbackOf(caller, form, deps),
    applicationSid: form.ApplicationSid,
    sendAt: readSendAt(form.ScheduleType, form.SendAt, deps.clock.now()),
    validitySeconds: form.ValidityPeriod,
  }
}

/** Returns the scheduled time in epoch milliseconds; undefined to send now. */
function readSendAt(
  scheduleType: 'fixed' | undefined,
  sendAt: string | undefined,
  now: number,
): number | undefined {
  if (scheduleType === undefined && sendAt === undefined) return undefined
  if (scheduleType === undefined || sendAt === undefined)
    throw new ApiError(400, 35117, 'ScheduleType and SendAt must be given together')
  const at = ISO_TIME.test(sendAt) ? Date.parse(sendAt) : Number.NaN
  if (Number.isNaN(at) || at < now + MIN_AHEAD_MS || at > now + MAX_AHEAD_MS)
    throw new ApiError(400, 35114, 'SendAt must be from 5 minutes to 35 days ahead')
  return at
}

/**
 * Returns the URL for delivery receipts: that of the request, else of the named application, else
 * of the application bound to the sender's number.
 */
async function statusCallbackOf(
  caller: Account,
  form: z.infer<typeof createMessageForm>,
  { applications, numbers }: MessageDeps,
): Promise<StatusCallback | undefined> {
  if (form.StatusCallback !== undefined) return { url: form.StatusCallback, method: 'POST' }
  const named = form.ApplicationSid
  const bound =
    named ?? (await numbers.called(numberOf(form.From, caller) ?? ''))?.binding.smsApplicationSid
  const application = bound === undefined ? undefined : await applications.find(caller.sid, bound)
  if (named !== undefined && application === undefined)
    throw new ApiError(400, 21218, `ApplicationSid ${named} is not valid`)
  const url = application?.messageStatusCallback
  return url === undefined ? undefined : { url, method: 'POST' }
}

/** Returns the number in E.164 if the text is one, else the text, which may be a short code. */
function numberOf(text: string | undefined, account: Account): string | undefined {
  if (text === undefined || text === '') return undefined
  // Without regions any digits could be a number, so a number as short as a code needs a plus sign.
  if (account.phoneRegions.length === 0 && isShortCode(text.trim())) return text.trim()
  const address = parseCallAddress(text, account.phoneRegions)
  return address === undefined ? text : formatAddress(address)
}
