/** The IncomingPhoneNumbers resource: operations and wire form. */

import { z } from '@hono/zod-openapi'
import type { Ledger } from '../../ledger/ledger.js'
import type { NumberKind } from '../../numbers/number-kind.js'
import type { FormFields } from '../../platform/api/read-body.js'
import { lastOf } from '../../platform/api/repeated.js'
import { shownUrl } from '../../platform/url-passwords.js'
import type { BoundNumber, NumberBindings } from '../applications/number-bindings.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { queryText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'
import {
  bindingChangeOf,
  checkSameAccount,
  claimedNumberOf,
  claimForm,
  E164,
  NUMBER_FIELD_ERRORS,
  updateNumberForm,
} from './incoming-number-form.js'

const NUMBERS = '/Accounts/{AccountSid}/IncomingPhoneNumbers'
const NUMBER = `${NUMBERS}/{Sid}`
const params = { Sid: sid('PN', 'number') }

const method = (of: string) =>
  z.enum(['GET', 'POST']).openapi({ description: `The method of ${of}.` })
const url = (description: string) => said(description).nullable()
const no = (what: string) => z.null().openapi({ description: `Always null: there are no ${what}.` })
const can = (description: string) => z.boolean().openapi({ description })

const numberResource = z
  .object({
    sid: said('The sid of the number: PN and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    phone_number: said('The number in E.164.'),
    friendly_name: z.literal('').openapi({ description: 'Always empty.' }),
    api_version: said('The version of the API that its webhooks follow.'),
    origin: z.literal('vendor').openapi({ description: 'Always the same.' }),
    beta: z.literal(false).openapi({ description: 'Always false.' }),
    capabilities: z
      .object({
        voice: can('Whether it takes calls.'),
        sms: can('Whether it takes text messages.'),
        mms: can('Whether it takes messages with media.'),
        fax: can('Whether it takes faxes.'),
      })
      .openapi({ description: 'What the number can be used for.' }),
    voice_url: url('The URL that is asked for a document when the number is called.'),
    voice_method: method('voice_url'),
    voice_fallback_url: url('The URL that is asked when voice_url fails.'),
    voice_fallback_method: method('voice_fallback_url'),
    voice_application_sid: said('The application that answers in place of these URLs, or empty.'),
    voice_caller_id_lookup: can("Whether the caller's name is wanted."),
    voice_receive_mode: z
      .enum(['voice', 'fax'])
      .openapi({ description: 'Kept as it was set; calls are answered alike.' }),
    sms_url: url('The URL that is told of a message that comes in.'),
    sms_method: method('sms_url'),
    sms_fallback_url: url('The URL that is told when sms_url fails.'),
    sms_fallback_method: method('sms_fallback_url'),
    sms_application_sid: said('The application whose URLs messages use, or empty.'),
    status_callback: url('The URL that is told of the end of a call.'),
    status_callback_method: method('status_callback'),
    trunk_sid: no('trunks'),
    address_sid: no('addresses'),
    address_requirements: z.literal('none').openapi({ description: 'Always the same.' }),
    identity_sid: no('identities'),
    bundle_sid: no('bundles'),
    emergency_status: z
      .enum(['Active', 'Inactive'])
      .openapi({ description: 'Active when it has an emergency address: it may call 911.' }),
    emergency_address_sid: no('addresses'),
    emergency_address_status: z
      .enum(['registered', 'unregistered'])
      .openapi({ description: 'Whether it has an emergency address; see /v2.2/e911.' }),
    status: z.literal('in-use').openapi({ description: 'Always the same.' }),
    type: z
      .enum(['local', 'toll-free'])
      .openapi({ description: 'toll-free for the toll-free area codes of North America.' }),
    date_created: said('When the account got it, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
  })
  .openapi('IncomingPhoneNumber')

const listQuery = z.object({
  PhoneNumber: z
    .preprocess((value) => {
      const single = lastOf(value)
      // In a query, a bare plus sign arrives as a space.
      return typeof single === 'string' ? single.replace(/^ /, '+') || undefined : single
    }, z.string().regex(E164, 'must be + and the digits of an E.164 number').optional())
    .openapi({ type: 'string', description: 'Only this number, in E.164.' }),
  FriendlyName: queryText('Accepted, without effect.'),
  Beta: queryText('Accepted, without effect.'),
  Origin: queryText('Accepted, without effect.'),
})

type NumberResource = z.infer<typeof numberResource>

export function incomingNumberOperations(
  numbers: NumberBindings,
  ledger: Pick<Ledger, 'post'>,
): VoiceOperation[] {
  return [
    ...numbersOfAccount(numbers, ledger),
    listOf(numbers, 'Local', 'local'),
    listOf(numbers, 'TollFree', 'toll-free'),
    listOf(numbers, 'Mobile', undefined),
    ...oneNumber(numbers),
  ]
}

function numbersOfAccount(numbers: NumberBindings, ledger: Pick<Ledger, 'post'>): VoiceOperation[] {
  return [
    operation({
      id: 'createIncomingPhoneNumber',
      summary: 'Claim a number, or bind one anew that the account holds',
      method: 'post',
      path: NUMBERS,
      aliases: [`${NUMBERS}/Local`, `${NUMBERS}/TollFree`, `${NUMBERS}/Mobile`],
      body: claimForm,
      fieldErrors: NUMBER_FIELD_ERRORS,
      status: 201,
      response: numberResource,
      errors: [402, 409],
      run: async ({ caller, body, given }) => {
        const change = bindingChangeOf(body, given as FormFields) // the schema accepts only forms
        const claimed = await numbers.claim(caller.sid, claimedNumberOf(body), change, ledger)
        return await oneToWire(claimed, numbers)
      },
    }),
    list({
      id: 'listIncomingPhoneNumbers',
      summary: 'List the numbers of the account, the newest first',
      path: NUMBERS,
      name: 'incoming_phone_numbers',
      record: numberResource,
      query: listQuery,
      run: async ({ caller, query }, page) => ({
        ...(await pageOf(numbers, caller.sid, { e164: query.PhoneNumber }, page)),
        path: pathOf(caller.sid),
      }),
    }),
  ]
}

/** Lists numbers of one kind. Some kinds are always empty. */
function listOf(
  numbers: NumberBindings,
  segment: 'Local' | 'TollFree' | 'Mobile',
  kind: NumberKind | undefined,
): VoiceOperation {
  const summaries = {
    Local: 'List the numbers that are not toll-free, the newest first',
    TollFree: 'List the toll-free numbers, the newest first',
    Mobile: 'List mobile numbers: always an empty page',
  }
  return list({
    id: `list${segment}IncomingPhoneNumbers`,
    summary: summaries[segment],
    path: `${NUMBERS}/${segment}`,
    name: 'incoming_phone_numbers',
    record: numberResource,
    query: listQuery,
    run: async ({ caller, query }, page) => {
      const path = `${pathOf(caller.sid)}/${segment}`
      if (kind === undefined) return { items: [], total: 0, path }
      const filter = { e164: query.PhoneNumber, kind }
      return { ...(await pageOf(numbers, caller.sid, filter, page)), path }
    },
  })
}

async function pageOf(numbers: NumberBindings, ...asked: Parameters<NumberBindings['list']>) {
  const found = await numbers.list(...asked)
  return {
    ...found,
    items: await numbersToWire(found.items, numbers),
    first: positionOf(found.items[0]?.number),
  }
}

function oneNumber(numbers: NumberBindings): VoiceOperation[] {
  return [
    operation({
      id: 'fetchIncomingPhoneNumber',
      summary: 'Get a number of the account',
      method: 'get',
      path: NUMBER,
      params,
      response: numberResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        oneToWire(await numbers.fetch(caller.sid, Sid), numbers),
    }),
    operation({
      id: 'updateIncomingPhoneNumber',
      summary: 'Bind a number anew: present fields change, empty ones are cleared',
      method: 'post',
      path: NUMBER,
      params,
      body: updateNumberForm,
      fieldErrors: NUMBER_FIELD_ERRORS,
      response: numberResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body, given }) => {
        await numbers.fetch(caller.sid, Sid)
        checkSameAccount(body.AccountSid, caller.sid)
        const change = bindingChangeOf(body, given as FormFields) // the schema accepts only forms
        return oneToWire(await numbers.update(caller.sid, Sid, change), numbers)
      },
    }),
    operation({
      id: 'deleteIncomingPhoneNumber',
      summary: 'Give a number back; again and again with the same answer',
      method: 'delete',
      path: NUMBER,
      params,
      errors: [404, 409],
      run: ({ caller, params: { Sid } }) => numbers.release(caller.sid, Sid),
    }),
  ]
}

/** Returns the wire form of numbers. */
async function numbersToWire(
  bound: readonly BoundNumber[],
  numbers: NumberBindings,
): Promise<NumberResource[]> {
  const sids = await numbers.withEmergencyAddress(bound.map(({ number }) => number.sid))
  return bound.map((each) => numberToWire(each, sids.has(each.number.sid)))
}

async function oneToWire(bound: BoundNumber, numbers: NumberBindings) {
  const sids = await numbers.withEmergencyAddress([bound.number.sid])
  return numberToWire(bound, sids.has(bound.number.sid))
}

function numberToWire(
  { number, binding, updatedAt }: BoundNumber,
  hasAddress: boolean,
): NumberResource {
  return {
    sid: number.sid,
    account_sid: number.accountSid,
    phone_number: number.e164,
    friendly_name: '',
    api_version: API_VERSION,
    origin: 'vendor',
    beta: false,
    capabilities: number.capabilities,
    voice_url: shownUrl(binding.voiceUrl),
    voice_method: binding.voiceMethod,
    voice_fallback_url: shownUrl(binding.voiceFallbackUrl),
    voice_fallback_method: binding.voiceFallbackMethod,
    voice_application_sid: binding.voiceApplicationSid ?? '',
    voice_caller_id_lookup: binding.voiceCallerIdLookup,
    voice_receive_mode: binding.voiceReceiveMode,
    sms_url: shownUrl(binding.smsUrl),
    sms_method: binding.smsMethod,
    sms_fallback_url: shownUrl(binding.smsFallbackUrl),
    sms_fallback_method: binding.smsFallbackMethod,
    sms_application_sid: binding.smsApplicationSid ?? '',
    status_callback: shownUrl(binding.statusCallback),
    status_callback_method: binding.statusCallbackMethod,
    trunk_sid: null,
    address_sid: null,
    address_requirements: 'none',
    identity_sid: null,
    bundle_sid: null,
    emergency_status: hasAddress ? 'Active' : 'Inactive',
    emergency_address_sid: null,
    emergency_address_status: hasAddress ? 'registered' : 'unregistered',
    status: 'in-use',
    type: number.kind,
    date_created: rfc2822(new Date(number.createdAt)),
    date_updated: rfc2822(new Date(updatedAt)),
    uri: `${pathOf(number.accountSid)}/${number.sid}.json`,
  }
}

function pathOf(accountSid: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/IncomingPhoneNumbers`
}
