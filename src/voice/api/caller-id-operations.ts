/** The OutgoingCallerIds resource: verification requests, verified numbers, and their wire form. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { lastIn } from '../../platform/api/repeated.js'
import { ONE_LINE } from '../../platform/text.js'
import type { CallerIds, VerificationRequest } from '../caller-ids/caller-ids.js'
import type { CallerId } from '../caller-ids/tables.js'
import { displayAddress, parseCallAddress } from '../model/address.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { ApiError } from './dialect/errors.js'
import { callbackUrl, httpMethod, integer, optionalText, queryText, text } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'

const CALLER_IDS = '/Accounts/{AccountSid}/OutgoingCallerIds'
const CALLER_ID = `${CALLER_IDS}/{Sid}`
const params = { Sid: sid('PN', 'caller ID') }

const MAX_NAME_CHARS = 64
const MAX_DELAY_SECONDS = 60
/** DTMF digits of an extension: 16 characters at most, 4 pauses at most. */
const EXTENSION = /^(?!(?:[^wW]*[wW]){5})[0-9A-Da-d#*wW]{1,16}$/
const friendlyName = () => optionalText(ONE_LINE, 'must be one line', MAX_NAME_CHARS)

const verificationForm = z
  .object({
    PhoneNumber: text(),
    FriendlyName: friendlyName(),
    CallDelay: integer(0, MAX_DELAY_SECONDS),
    Extension: optionalText(EXTENSION, 'must be 1 to 16 of 0-9 A-D * # w W, of these four w and W'),
    StatusCallback: callbackUrl(),
    StatusCallbackMethod: httpMethod(),
  })
  .openapi('CreateValidationRequest')
const updateForm = z.object({ FriendlyName: friendlyName() }).openapi('UpdateOutgoingCallerId')

const fieldErrors = {
  PhoneNumber: { invalid: 21401 },
  FriendlyName: { invalid: 20002 },
  CallDelay: { invalid: 21454 },
  Extension: { invalid: 21206 },
  StatusCallback: { invalid: 21456 },
  StatusCallbackMethod: { invalid: 21403 },
}

const validationResource = z
  .object({
    account_sid: said('The sid of the account.'),
    phone_number: said('The number that is called, in E.164.'),
    friendly_name: said('The name that the caller ID will have.'),
    validation_code: said('The six digits that the called party enters.'),
    call_sid: said('The sid of the verification call.'),
  })
  .openapi('ValidationRequest')

const callerIdResource = z
  .object({
    sid: said('The sid of the caller ID: PN and 32 hex digits.'),
    account_sid: said('The sid of the account.'),
    friendly_name: said('A name for people.'),
    phone_number: said('The number in E.164.'),
    date_created: said('When it was verified, as in RFC 2822.'),
    date_updated: said('When it was last changed, as in RFC 2822.'),
    uri: said('Its path.'),
  })
  .openapi('OutgoingCallerId')

export function callerIdOperations(callerIds: CallerIds): VoiceOperation[] {
  return [...callerIdsOfAccount(callerIds), ...oneCallerId(callerIds)]
}

function callerIdsOfAccount(callerIds: CallerIds): VoiceOperation[] {
  return [
    operation({
      id: 'createValidationRequest',
      summary: 'Call a number to verify it as a caller ID',
      method: 'post',
      path: CALLER_IDS,
      body: verificationForm,
      fieldErrors,
      response: validationResource,
      errors: [503],
      run: async ({ caller, body }) => {
        const wanted = requestOf(body, caller)
        const { callSid, code } = await callerIds.verify(caller, wanted)
        return {
          account_sid: caller.sid,
          phone_number: wanted.phoneNumber,
          friendly_name: wanted.friendlyName,
          validation_code: code,
          call_sid: callSid,
        }
      },
    }),
    list({
      id: 'listOutgoingCallerIds',
      summary: 'List verified caller IDs, the newest first',
      path: CALLER_IDS,
      name: 'outgoing_caller_ids',
      record: callerIdResource,
      query: z.object({
        PhoneNumber: queryText('Only the caller ID of this number.'),
        FriendlyName: queryText('Only caller IDs of this name.'),
      }),
      run: async ({ caller, http }, page) => {
        const name = lastIn(http.search, 'FriendlyName') ?? ''
        const number = lastIn(http.search, 'PhoneNumber') ?? ''
        const filter = {
          friendlyName: name === '' ? undefined : name,
          phoneNumber: number === '' ? undefined : (e164Of(number, caller) ?? number),
        }
        const found = await callerIds.list(caller.sid, filter, page)
        return {
          ...found,
          items: found.items.map(callerIdToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/OutgoingCallerIds`,
        }
      },
    }),
  ]
}

function oneCallerId(callerIds: CallerIds): VoiceOperation[] {
  return [
    operation({
      id: 'fetchOutgoingCallerId',
      summary: 'Get a verified caller ID',
      method: 'get',
      path: CALLER_ID,
      params,
      response: callerIdResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        callerIdToWire(await callerIds.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateOutgoingCallerId',
      summary: 'Rename a verified caller ID',
      method: 'post',
      path: CALLER_ID,
      params,
      body: updateForm,
      fieldErrors,
      response: callerIdResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body: { FriendlyName: name } }) =>
        callerIdToWire(
          name === undefined
            ? await callerIds.fetch(caller.sid, Sid)
            : await callerIds.rename(caller.sid, Sid, name),
        ),
    }),
    operation({
      id: 'deleteOutgoingCallerId',
      summary: 'Delete a verified caller ID',
      method: 'delete',
      path: CALLER_ID,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => callerIds.remove(caller.sid, Sid),
    }),
  ]
}

function requestOf(form: z.infer<typeof verificationForm>, caller: Account): VerificationRequest {
  const phoneNumber = e164Of(form.PhoneNumber, caller)
  if (phoneNumber === undefined)
    throw new ApiError(400, 21401, `The phone number ${form.PhoneNumber} is not valid.`)
  const { StatusCallback: url, StatusCallbackMethod: method = 'POST' } = form
  return {
    phoneNumber,
    friendlyName: form.FriendlyName ?? displayAddress(phoneNumber),
    callDelaySeconds: form.CallDelay ?? 0,
    extension: form.Extension,
    callback: url === undefined ? undefined : { url, method },
  }
}

function e164Of(written: string, { phoneRegions }: Account): string | undefined {
  const address = parseCallAddress(written, phoneRegions)
  return address?.type === 'number' ? address.e164 : undefined
}

function callerIdToWire(callerId: CallerId): z.infer<typeof callerIdResource> {
  const { sid: own, accountSid } = callerId
  return {
    sid: own,
    account_sid: accountSid,
    friendly_name: callerId.friendlyName,
    phone_number: callerId.phoneNumber,
    date_created: rfc2822(new Date(callerId.createdAt)),
    date_updated: rfc2822(new Date(callerId.updatedAt)),
    uri: `/${API_VERSION}/Accounts/${accountSid}/OutgoingCallerIds/${own}.json`,
  }
}
