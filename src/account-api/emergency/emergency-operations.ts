/** Emergency addresses of numbers, in the REST style. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { PostalAddress } from '../../emergency/civic-address.js'
import { AddressRejectedError, type KeptAddress } from '../../emergency/emergency-addresses.js'
import { EmergencyProviderError } from '../../emergency/emergency-provider.js'
import type { EmergencyRecord } from '../../emergency/emergency-records.js'
import {
  AddressNotFoundError,
  type EmergencyService,
  NumberNotOwnedError,
  type PreparedRecord,
  RecordNotFoundError,
} from '../../emergency/emergency-service.js'
import { ApiFailure, refuseUnless } from '../dialect/api-failure.js'
import { legacy, legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { shownText, tenDigitsOf } from '../fields.js'

const PATH = '/e911/{dn}'

const MAX_LINE = 100
const MAX_CITY = 64
const MAX_CALLER_NAME = 60
/** One line of text, for headers and XML. */
const ONE_LINE = /^[^\p{Cc}\p{Cn}\p{Cs}]*$/u

const line = (max: number, description: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(ONE_LINE, 'one line of text is expected')
    .openapi({ description })

const addressFields = {
  address1: line(MAX_LINE, 'The house number and the street.'),
  address2: z
    .string()
    .trim()
    .max(MAX_LINE)
    .regex(ONE_LINE, 'one line of text is expected')
    .optional()
    .openapi({ description: 'The apartment, floor or building; it may be empty.' }),
  city: line(MAX_CITY, 'The city.'),
  state: z
    .string()
    .trim()
    .regex(/^[A-Za-z]{2}$/, 'the two letters of a US state are expected')
    .openapi({ description: 'The two letters of the US state.' }),
  zip: line(10, 'The ZIP code: five digits, or nine with a hyphen.'),
}

const dn = z
  .string()
  .regex(/^[2-9][0-9]{2}[2-9][0-9]{2}[0-9]{4}$/, 'ten digits of a North American number')
  .openapi({ description: 'The number of the account, ten digits.' })

/** The legacy style also takes numbers as integers, and with the country digit, as records show them. */
const legacyDn = z
  .preprocess((value) => {
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' ? (tenDigitsOf(text) ?? text) : text
  }, dn)
  .openapi({
    type: 'string',
    description: 'The number of the account: ten digits, with the country digit or without.',
  })

const callername = line(MAX_CALLER_NAME, 'The name that the dispatcher sees.')

const addressid = z
  .number()
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .openapi({ description: 'The id that the validation of the address has given.' })

const shownAddress = {
  address1: shownText('The house number and the street.'),
  address2: shownText('The second line; empty when there is none.'),
  city: shownText('The city.'),
  state: shownText('The two letters of the US state.'),
  zip: shownText('The ZIP code.'),
  addressid,
  source: shownText(
    'What has judged the address; local-syntax-only: its form alone, not whether the place exists.',
  ),
}

const address = z.object(shownAddress).openapi('E911Address')

const record = z
  .object({
    dn: shownText('The number, with its country digit.'),
    callername: shownText('The name that the dispatcher sees.'),
    ...shownAddress,
  })
  .openapi('E911Record')

type GivenAddress = Omit<PostalAddress, 'address2'> & { readonly address2?: string | undefined }
const params = { dn: dn.openapi({ description: 'The number, ten digits.' }) }
const oneRecord = z.object({ record })

export function emergencyOperations(service: EmergencyService): Styles {
  const operations = [
    validateOperation(service),
    ...recordOperations(service),
    removeOperation(service),
    ...readOperations(service),
  ]
  return {
    rest: operations,
    legacy: [...legacyOver(operations, ...COMMANDS), legacyRemoveOperation(service)],
  }
}

const COMMANDS = [
  {
    id: 'legacyValidateE911',
    does: 'validateE911',
    path: '/e911/validateAddress/',
    gives: { entry_valid: 'address' },
  },
  {
    id: 'legacyProvisionE911',
    does: 'provisionE911',
    path: '/e911/provisionAddress/',
    body: { dn: legacyDn, addressid, callername },
    gives: { entry_added: 'record' },
  },
  {
    id: 'legacyCreateE911',
    does: 'createE911',
    path: '/e911/validateAndProvision/',
    body: { ...addressFields, dn: legacyDn, callername },
    gives: { entry_added: 'record' },
  },
  {
    id: 'legacyListE911',
    does: 'listE911',
    path: '/e911/queryAll/',
    gives: { entry_all: 'records' },
  },
  {
    id: 'legacyGetE911',
    does: 'getE911',
    path: '/e911/queryRecord/',
    body: { dn: legacyDn },
    gives: { entry_query: 'record' },
  },
]

/** Separate from the REST operation: the legacy style answers with the removed record. */
function legacyRemoveOperation(service: EmergencyService): AccountOperation {
  return legacy({
    id: 'legacyRemoveE911',
    summary: 'Remove the emergency address of a number',
    path: '/e911/removeRecord/',
    body: { dn: legacyDn },
    keys: { entry_removed: record },
    errors: [404, 502],
    prepare: ({ caller, body }) =>
      orEmergencyFailure(async () => {
        const removed = await service.get(caller.sid, e164Of(body.dn))
        await service.prepareRemoval(caller.sid, removed.number)
        return removed
      }),
    run: async ({ caller }, removed) => {
      await service.remove(caller.sid, removed.number)
      return { entry_removed: recordToWire(removed) }
    },
  })
}

function validateOperation(service: EmergencyService): AccountOperation {
  return rest({
    id: 'validateE911',
    summary: 'Validate an emergency address, and keep it for a record',
    description: 'The addressid makes a record of the address within 90 days.',
    method: 'post',
    path: '/e911/validate',
    aliases: ['/e911/validations'],
    row: 'Validate e911 address',
    body: z.strictObject(addressFields),
    data: z.object({ address }),
    errors: [409, 502],
    prepare: ({ body }) => orEmergencyFailure(() => service.validate(postalAddress(body))),
    run: async ({ caller }, valid) => ({
      address: addressToWire(await service.keep(caller.sid, valid)),
    }),
  })
}

function recordOperations(service: EmergencyService): AccountOperation[] {
  const created = {
    method: 'post',
    beforeBody: ({ caller }: { caller: Account }) => refuseWithoutService(caller),
    status: 201,
    data: oneRecord,
    errors: [409, 502],
  } as const
  return [
    rest({
      ...created,
      id: 'createE911',
      summary: 'Give a number an emergency address, which is validated',
      path: '/e911',
      row: 'Create e911 record',
      body: z.strictObject({ ...addressFields, dn, callername }),
      prepare: ({ caller, body }) =>
        prepared(service, caller, body.dn, body.callername, postalAddress(body)),
      run: async (_request, ready) => ({ record: await stored(service, ready) }),
    }),
    rest({
      ...created,
      id: 'createE911At',
      summary: 'Give the number in the path an emergency address, which is validated',
      path: PATH,
      params,
      makesTarget: true,
      body: z.strictObject({ ...addressFields, callername }),
      prepare: ({ caller, params: named, body }) =>
        prepared(service, caller, dnOf(named.dn), body.callername, postalAddress(body)),
      run: async (_request, ready) => ({ record: await stored(service, ready) }),
    }),
    rest({
      id: 'provisionE911',
      summary: 'Give a number a validated emergency address',
      method: 'put',
      path: PATH,
      params,
      row: 'Provision e911 from validated address',
      makesTarget: true,
      beforeBody: ({ caller }) => refuseWithoutService(caller),
      body: z.strictObject({ addressid, callername }),
      data: oneRecord,
      errors: [409, 502],
      prepare: ({ caller, params: named, body }) =>
        prepared(service, caller, dnOf(named.dn), body.callername, { addressId: body.addressid }),
      run: async (_request, ready) => ({ record: await stored(service, ready) }),
    }),
  ]
}

function removeOperation(service: EmergencyService): AccountOperation {
  return operation({
    id: 'removeE911',
    summary: 'Remove the emergency address of a number',
    method: 'delete',
    path: PATH,
    params,
    row: 'Remove e911 record',
    errors: [404, 502],
    prepare: ({ caller, params: named }) =>
      orEmergencyFailure(() => service.prepareRemoval(caller.sid, e164Of(dnOf(named.dn)))),
    run: ({ caller, params: named }) => service.remove(caller.sid, e164Of(dnOf(named.dn))),
  })
}

function readOperations(service: EmergencyService): AccountOperation[] {
  return [
    rest({
      id: 'listE911',
      summary: 'List the emergency addresses of the numbers',
      method: 'get',
      path: '/e911',
      row: 'List e911 records',
      data: z.object({
        records: z.array(record).openapi({ description: 'In the order of the numbers.' }),
      }),
      run: async ({ caller }) => ({ records: (await service.list(caller.sid)).map(recordToWire) }),
    }),
    rest({
      id: 'getE911',
      summary: 'Get the emergency address of a number',
      method: 'get',
      path: PATH,
      params,
      row: 'Get e911 record',
      data: oneRecord,
      errors: [404],
      run: async ({ caller, params: named }) => ({
        record: await orEmergencyFailure(async () =>
          recordToWire(await service.get(caller.sid, e164Of(dnOf(named.dn)))),
        ),
      }),
    }),
  ]
}

/** Validates the address and sends the record to the provider. */
function prepared(
  service: EmergencyService,
  { sid }: Account,
  number: string,
  callerName: string,
  wanted: Parameters<EmergencyService['prepare']>[1]['address'],
) {
  return orEmergencyFailure(() =>
    service.prepare(sid, { number: e164Of(number), callerName, address: wanted }),
  )
}

/** Stores a record that the provider has accepted. */
function stored(service: EmergencyService, ready: PreparedRecord) {
  return orEmergencyFailure(async () => recordToWire(await service.store(ready)))
}

/** Runs `work`; converts its emergency errors to an ApiFailure. */
async function orEmergencyFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof AddressRejectedError) {
    const { field, message: reason, suggestion } = error
    const said = suggestion === undefined ? { field, reason } : { field, reason, suggestion }
    return new ApiFailure(409, `${field}: ${reason}${wordsOf(suggestion)}`, { data: said })
  }
  if (error instanceof NumberNotOwnedError) return new ApiFailure(403, `dn: ${error.message}`)
  if (error instanceof AddressNotFoundError)
    return new ApiFailure(409, `addressid: ${error.message}`)
  if (error instanceof RecordNotFoundError) return new ApiFailure(404, `dn: ${error.message}`)
  if (error instanceof EmergencyProviderError) return new ApiFailure(502, error.message)
  return error
}

function wordsOf(suggestion: AddressRejectedError['suggestion']): string {
  if (suggestion === undefined) return ''
  const words = Object.entries(suggestion).map(([name, value]) => `${name} ${value}`)
  return `; perhaps ${words.join(', ')}`
}

function postalAddress(given: GivenAddress): PostalAddress {
  const { address1, address2 = '', city, state, zip } = given
  return { address1, address2, city, state, zip }
}

function addressToWire(kept: KeptAddress): z.infer<typeof address> {
  const { addressId, address1, address2, city, state, zip, source } = kept
  return { addressid: addressId, address1, address2, city, state, zip, source }
}

function recordToWire(stored: EmergencyRecord): z.infer<typeof record> {
  const { address1, address2, city, state, zip } = stored
  return {
    dn: stored.number.slice(1),
    callername: stored.callerName,
    address1,
    address2,
    city,
    state,
    zip,
    addressid: stored.addressId,
    source: stored.source,
  }
}

/** The ten digits of a number in a path, which may have the country digit, as records show it. */
function dnOf(text: string): string {
  const ten = tenDigitsOf(text)
  if (ten === undefined) throw new ApiFailure(400, 'dn: ten digits of a North American number')
  return ten
}

const e164Of = (ten: string): string => `+1${ten}`

function refuseWithoutService({ profile }: Account): Promise<void> {
  const message = 'The account has no emergency service: an administrator sets its flag e911'
  return refuseUnless(profile.services.e911, message)
}
