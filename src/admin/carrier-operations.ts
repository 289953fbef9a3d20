import { z } from '@hono/zod-openapi'
import type { Carrier } from '../voice/carriers/carrier.js'
import type { CarrierClaims } from '../voice/carriers/carrier-claims.js'
import type { CarrierHealth } from '../voice/carriers/carrier-health.js'
import type { CarrierRegistrations } from '../voice/carriers/carrier-registrations.js'
import { type CarrierServers, serverKey } from '../voice/carriers/carrier-servers.js'
import type { Carriers } from '../voice/carriers/carriers.js'
import { type AdminOperation, operation } from './admin-operation.js'
import {
  type CarrierResource,
  type CarrierState,
  carrierBody,
  carrierOfBody,
  carrierResource,
  carrierToWire,
} from './carrier-schemas.js'
import { AdminError, notFound } from './private-dialect.js'

export interface CarrierOperationDeps {
  readonly carriers: Carriers
  readonly carrierServers: Pick<CarrierServers, 'known'>
  readonly carrierHealth: Pick<CarrierHealth, 'of'>
  readonly carrierClaims: Pick<CarrierClaims, 'callsThrough'>
  readonly carrierRegistrations: Pick<CarrierRegistrations, 'of'>
}

const PATH = '/carriers/{name}'
const NAME = /^[A-Za-z0-9_-]{1,64}$/
const params = {
  name: z.string().regex(NAME).openapi({ description: 'A name of letters, digits, - and _.' }),
}

/** The operations on carriers: the trunks for calls to numbers outside this system. */
export function carrierOperations(deps: CarrierOperationDeps): AdminOperation[] {
  const { carriers } = deps
  return [
    operation({
      id: 'listCarriers',
      summary: 'List the carriers, and how each is now',
      method: 'get',
      path: '/carriers',
      response: z.object({
        carriers: z.array(carrierResource).openapi({ description: 'All of them.' }),
      }),
      run: async () => ({
        carriers: await Promise.all((await carriers.list()).map((each) => shown(each, deps))),
      }),
    }),
    operation({
      id: 'putCarrier',
      summary: 'Add a carrier, or replace the one of that name',
      method: 'put',
      path: PATH,
      params,
      body: carrierBody,
      response: carrierResource,
      run: async ({ params: { name }, body }) => {
        if (!NAME.test(name)) throw new AdminError(400, 'a name has letters, digits, - and _')
        const carrier = carrierOfBody(name, body)
        await carriers.put(carrier)
        return shown(carrier, deps)
      },
    }),
    operation({
      id: 'removeCarrier',
      summary: 'Remove a carrier',
      method: 'delete',
      path: PATH,
      params,
      errors: [404],
      run: async ({ params: { name } }) => {
        if (!(await carriers.remove(name))) throw notFound()
      },
    }),
  ]
}

async function shown(carrier: Carrier, deps: CarrierOperationDeps): Promise<CarrierResource> {
  return carrierToWire(carrier, await stateOf(carrier, deps))
}

async function stateOf(carrier: Carrier, deps: CarrierOperationDeps): Promise<CarrierState> {
  const { name, settings } = carrier
  const registration = deps.carrierRegistrations.of(name)
  return {
    servers: deps.carrierServers.known(carrier).map((server) => {
      const { reason, state, until } = deps.carrierHealth.of(serverKey(server))
      return { server: serverKey(server), state, until: until ?? null, reason: reason ?? null }
    }),
    calls: settings.maxCalls === undefined ? null : await deps.carrierClaims.callsThrough(name),
    registration:
      registration === undefined
        ? null
        : {
            state: registration.state,
            status: registration.status ?? null,
            expiresAt: registration.expiresAt ?? null,
          },
  }
}
