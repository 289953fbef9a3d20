/** Emergency addresses of numbers, in the REST style. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { EmergencyService, PreparedRecord } from '../../emergency/emergency-service.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { tenDigitsOf } from '../fields.js'
import { orEmergencyFailure } from './emergency-failures.js'
import {
  address,
  addressFields,
  addressid,
  addressToWire,
  callername,
  dn,
  postalAddress,
  record,
  recordToWire,
} from './emergency-fields.js'

const PATH = '/e911/{dn}'
const params = { dn: dn.openapi({ description: 'The number, ten digits.' }) }
const oneRecord = z.object({ record })

export function emergencyOperations(service: EmergencyService): AccountOperation[] {
  return [
    validateOperation(service),
    ...recordOperations(service),
    removeOperation(service),
    ...readOperations(service),
  ]
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

/** Validates the address, and gives the record to the provider. */
export function prepared(
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

/** Stores a record that the provider has. */
export function stored(service: EmergencyService, ready: PreparedRecord) {
  return orEmergencyFailure(async () => recordToWire(await service.store(ready)))
}

/** A record shows its number with the country digit, which paths may therefore have. */
function dnOf(text: string): string {
  const ten = tenDigitsOf(text)
  if (ten === undefined) throw new ApiFailure(400, 'dn: ten digits of a North American number')
  return ten
}

export const e164Of = (ten: string): string => `+1${ten}`

export function refuseWithoutService({ profile }: Account): Promise<void> {
  if (profile.services.e911) return Promise.resolve()
  const message = 'The account has no emergency service: an administrator sets its flag e911'
  return Promise.reject(new ApiFailure(403, message))
}
