import { z } from '@hono/zod-openapi'
import type { Carrier, Carriers } from '../voice/routing/carriers.js'
import { type AdminOperation, cidr, operation } from './admin-operation.js'
import { AdminError, notFound } from './private-dialect.js'

const PATH = '/carriers/{name}'
const NAME = /^[A-Za-z0-9_-]{1,64}$/
const params = {
  name: z.string().regex(NAME).openapi({ description: 'A name of letters, digits, - and _.' }),
}

const fields = {
  host: z
    .string()
    .regex(/^([A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:]{2,45})$/)
    .openapi({ description: 'The host name or address that calls are sent to.' }),
  port: z.number().int().min(1).max(65_535).default(5060).openapi({ description: 'Its SIP port.' }),
  transport: z.enum(['udp', 'tcp']).default('udp').openapi({ description: 'Its SIP transport.' }),
  prefixes: z
    .array(z.string().regex(/^\+[0-9]{0,15}$/))
    .default(['+'])
    .openapi({ description: 'The beginnings of numbers that it takes; + takes all.' }),
  priority: z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .openapi({ description: 'A carrier with a lower priority is tried first.' }),
  weight: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(1)
    .openapi({ description: 'Its share among carriers of one priority and prefix length.' }),
  addresses: z
    .array(cidr)
    .default([])
    .openapi({ description: 'The addresses and CIDRs that its INVITEs come from.' }),
}

const carrierBody = z
  .object({
    ...fields,
    auth: z
      .object({
        username: z.string().min(1).openapi({ description: 'The name for digest authentication.' }),
        password: z.string().openapi({ description: 'The password; never shown.' }),
      })
      .optional()
      .openapi({ description: 'The answer to its challenges.' }),
  })
  .openapi('CarrierRouting')

const carrierResource = z
  .object({
    name: z.string().openapi({ description: 'The name in the path.' }),
    ...fields,
    username: z
      .string()
      .nullable()
      .openapi({ description: 'The name for digest authentication, if there is one.' }),
  })
  .openapi('Carrier')

/** The operations on carriers: the trunks for calls to numbers outside this system. */
export function carrierOperations(carriers: Carriers): AdminOperation[] {
  return [
    operation({
      id: 'listCarriers',
      summary: 'List the carriers',
      method: 'get',
      path: '/carriers',
      response: z.object({
        carriers: z.array(carrierResource).openapi({ description: 'All of them.' }),
      }),
      run: async () => ({ carriers: (await carriers.list()).map(carrierToWire) }),
    }),
    operation({
      id: 'putCarrier',
      summary: 'Add a carrier, or replace the one of that name',
      method: 'put',
      path: PATH,
      params,
      body: carrierBody,
      response: carrierResource,
      run: async ({ params: { name }, body: { auth, ...body } }) => {
        if (!NAME.test(name)) throw new AdminError(400, 'a name has letters, digits, - and _')
        const carrier: Carrier = { name, ...body, ...(auth === undefined ? {} : { auth }) }
        await carriers.put(carrier)
        return carrierToWire(carrier)
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

/** The wire form of a carrier, without its password. */
function carrierToWire({ auth, ...rest }: Carrier) {
  return { ...rest, username: auth?.username ?? null }
}
