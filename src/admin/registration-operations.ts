import { z } from '@hono/zod-openapi'
import type { Bindings } from '../voice/registrar/bindings.js'
import { type AdminOperation, operation } from './admin-operation.js'

const MAX_SHOWN = 1_000

const registration = z
  .object({
    sid: z.string().openapi({ description: 'The sid of the registration; pages begin after one.' }),
    accountSid: z.string().openapi({ description: 'The account that owns the domain.' }),
    domainSid: z.string().openapi({ description: 'The SIP domain.' }),
    username: z.string().openapi({ description: 'The user who is registered.' }),
    contact: z.string().openapi({ description: 'The SIP address that the softphone gave.' }),
    receivedFrom: z.string().openapi({ description: 'The address, port and transport it uses.' }),
    userAgent: z.string().nullable().openapi({ description: 'What the softphone calls itself.' }),
    expiresAt: z.number().openapi({ description: 'When it ends without a refresh, epoch ms.' }),
  })
  .openapi('Registration')

/** The operation that shows the softphones of all accounts. */
export function registrationOperations(bindings: Bindings): AdminOperation[] {
  return [
    operation({
      id: 'listRegistrations',
      summary: 'List the registered softphones of all accounts, 1000 at a time',
      method: 'get',
      path: '/registrations',
      query: z.strictObject({
        after: z
          .string()
          .default('')
          .openapi({ description: 'The sid of the last registration of the page before.' }),
      }),
      response: z.object({
        total: z.number().int().openapi({ description: 'How many there are.' }),
        registrations: z.array(registration).openapi({ description: 'In the order of sids.' }),
      }),
      run: async ({ query: { after } }) => {
        const [total, shown] = [await bindings.count(), await bindings.all(after, MAX_SHOWN)]
        const registrations = shown.map(({ source, ...binding }) => ({
          sid: binding.sid,
          accountSid: binding.accountSid,
          domainSid: binding.domainSid,
          username: binding.username,
          contact: binding.contactUri,
          receivedFrom: `${source.address} ${source.port} ${source.transport}`,
          userAgent: binding.userAgent ?? null,
          expiresAt: binding.expiresAt,
        }))
        return { total, registrations }
      },
    }),
  ]
}
