import { z } from '@hono/zod-openapi'
import type { TrunkCheck, TrunkChecks, TrunkServerCheck } from '../voice/carriers/trunk-checks.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { registrationResource, registrationToWire } from './carrier-operations.js'

const MAX_SKIP = 1_000_000

const serverCheck = z.object({
  server: z.string().openapi({ description: 'Its transport, address and port.' }),
  isPublic: z.boolean().openapi({ description: 'False for a loopback or private address.' }),
  outcome: z.enum(['answered', 'silent', 'unsent']).openapi({
    description:
      'What came of an OPTIONS; unsent: the Contact is loopback, or nothing could be sent.',
  }),
  status: z.number().nullable().openapi({ description: 'The final status, with credentials.' }),
  elapsedMs: z.number().openapi({ description: 'The time to the response.' }),
  contact: z
    .string()
    .nullable()
    .openapi({ description: 'The host of the Contact that it sees in calls.' }),
  state: z.enum(['up', 'down', 'unknown']).openapi({ description: 'What this node saw last.' }),
  reason: z.string().nullable().openapi({ description: 'Why it is down.' }),
  refusal: z
    .object({
      status: z.number().openapi({ description: 'The status.' }),
      at: z.number().openapi({ description: 'The time, in epoch milliseconds.' }),
    })
    .nullable()
    .openapi({ description: 'The last INVITE, where the server refused it.' }),
})

const trunkCheck = z
  .object({
    kind: z.enum(['carrier', 'gateway']).openapi({ description: 'Ours, or of an account.' }),
    name: z.string().openapi({ description: 'The name of a carrier, the number of a gateway.' }),
    host: z.string().openapi({ description: 'Its hosts as they were set.' }),
    isEnabled: z.boolean().openapi({ description: 'False: no call is sent, nothing was asked.' }),
    hasCredentials: z.boolean().openapi({ description: 'True: a challenge is answered.' }),
    servers: z
      .array(serverCheck)
      .openapi({ description: 'None where the host has no address that calls may go to.' }),
    registration: registrationResource,
  })
  .openapi('TrunkCheck')

/** The operation that checks carriers and gateways, part by part. */
export function trunkCheckOperation(trunkChecks: Pick<TrunkChecks, 'page'>): AdminOperation {
  return operation({
    id: 'checkTrunks',
    summary: 'Check the carriers and gateways: their DNS, an OPTIONS, and the Contact they see',
    description: 'Answers within 15 seconds, for at most 20 of them; `next` is the next `skip`.',
    method: 'post',
    path: '/trunk-checks',
    body: z.strictObject({
      skip: z.number().int().min(0).max(MAX_SKIP).default(0).openapi({
        description: 'How many to leave out, carriers first.',
      }),
    }),
    response: z.object({
      checks: z.array(trunkCheck).openapi({ description: 'Carriers, then gateways.' }),
      next: z.number().nullable().openapi({ description: 'The next `skip`; null at the end.' }),
    }),
    run: async ({ body: { skip } }) => {
      const { checks, next } = await trunkChecks.page(skip)
      return { checks: checks.map(toWire), next: next ?? null }
    },
  })
}

function toWire({ registration, servers, ...rest }: TrunkCheck) {
  return {
    ...rest,
    servers: servers.map(serverToWire),
    registration: registrationToWire(registration),
  }
}

function serverToWire({ contact, health, status, ...rest }: TrunkServerCheck) {
  return {
    ...rest,
    status: status ?? null,
    contact: contact ?? null,
    state: health.state,
    reason: health.reason ?? null,
    refusal: health.refusal ?? null,
  }
}
