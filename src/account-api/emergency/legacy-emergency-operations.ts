/** Emergency addresses of numbers, in the legacy style. */
import { z } from '@hono/zod-openapi'
import type { EmergencyService } from '../../emergency/emergency-service.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import {
  address,
  addressFields,
  addressid,
  addressToWire,
  callername,
  e164Of,
  legacyDn,
  orEmergencyFailure,
  postalAddress,
  prepared,
  record,
  recordToWire,
  refuseWithoutService,
  stored,
} from './emergency-operations.js'

export function legacyEmergencyOperations(service: EmergencyService): AccountOperation[] {
  return [...legacyWrites(service), ...legacyReads(service)]
}

function legacyWrites(service: EmergencyService): AccountOperation[] {
  return [
    legacy({
      id: 'legacyValidateE911',
      summary: 'Validate an emergency address, and keep it for a record',
      path: '/e911/validateAddress/',
      body: addressFields,
      keys: { entry_valid: address },
      errors: [409, 502],
      prepare: ({ body }) => orEmergencyFailure(() => service.validate(postalAddress(body))),
      run: async ({ caller }, valid) => ({
        entry_valid: addressToWire(await service.keep(caller.sid, valid)),
      }),
    }),
    legacy({
      id: 'legacyProvisionE911',
      summary: 'Give a number a validated emergency address',
      path: '/e911/provisionAddress/',
      beforeBody: ({ caller }) => refuseWithoutService(caller),
      body: { dn: legacyDn, addressid, callername },
      keys: { entry_added: record },
      errors: [409, 502],
      prepare: ({ caller, body }) =>
        prepared(service, caller, body.dn, body.callername, { addressId: body.addressid }),
      run: async (_request, ready) => ({ entry_added: await stored(service, ready) }),
    }),
    legacy({
      id: 'legacyCreateE911',
      summary: 'Give a number an emergency address, which is validated',
      path: '/e911/validateAndProvision/',
      beforeBody: ({ caller }) => refuseWithoutService(caller),
      body: { ...addressFields, dn: legacyDn, callername },
      keys: { entry_added: record },
      errors: [409, 502],
      prepare: ({ caller, body }) =>
        prepared(service, caller, body.dn, body.callername, postalAddress(body)),
      run: async (_request, ready) => ({ entry_added: await stored(service, ready) }),
    }),
    legacy({
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
    }),
  ]
}

function legacyReads(service: EmergencyService): AccountOperation[] {
  return [
    legacy({
      id: 'legacyListE911',
      summary: 'List the emergency addresses of the numbers',
      path: '/e911/queryAll/',
      idempotency: 'none',
      keys: {
        entry_all: z.array(record).openapi({ description: 'In the order of the numbers.' }),
      },
      run: async ({ caller }) => ({
        entry_all: (await service.list(caller.sid)).map(recordToWire),
      }),
    }),
    legacy({
      id: 'legacyGetE911',
      summary: 'Get the emergency address of a number',
      path: '/e911/queryRecord/',
      idempotency: 'none',
      body: { dn: legacyDn },
      keys: { entry_query: record },
      errors: [404],
      run: async ({ caller, body }) => ({
        entry_query: await orEmergencyFailure(async () =>
          recordToWire(await service.get(caller.sid, e164Of(body.dn))),
        ),
      }),
    }),
  ]
}
