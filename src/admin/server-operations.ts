import { z } from '@hono/zod-openapi'
import type { DrainedServers } from '../voice/telephony/drained-servers.js'
import type { ServerView } from '../voice/telephony/port.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { notFound } from './private-dialect.js'

const serverResource = z
  .object({
    name: z.string().openapi({ description: 'The host and port of its setting.' }),
    kind: z.enum(['drachtio', 'freeswitch']),
    state: z
      .enum(['connecting', 'up', 'down'])
      .openapi({ description: 'How this node sees it now.' }),
    fault: z.string().nullable().openapi({ description: 'Why it cannot be used.' }),
    faultSeconds: z.number().nullable().openapi({ description: 'How long it has had this fault.' }),
    isDrained: z.boolean().openapi({ description: 'True while it gets no new call.' }),
    weight: z.number().openapi({ description: 'Its share of new calls, beside the others.' }),
    ownChannels: z.number().openapi({
      description: 'The channels of this node on a FreeSWITCH, or its live legs over a drachtio.',
    }),
    channels: z
      .number()
      .openapi({ description: 'All channels of a FreeSWITCH, as far as it has told.' }),
    maxSessions: z
      .number()
      .nullable()
      .openapi({ description: 'The most channels that a FreeSWITCH takes, once it has told.' }),
    idlePercent: z
      .number()
      .nullable()
      .openapi({ description: 'How idle the processor of a FreeSWITCH is, once it has told.' }),
  })
  .openapi('TelephonyServer')

const params = {
  name: z.string().min(1).max(300).openapi({ description: 'A name as the list has it.' }),
}

/** The operations on the drachtio and FreeSWITCH servers. */
export function serverOperations(servers: Pick<DrainedServers, 'list' | 'set'>): AdminOperation[] {
  return [
    operation({
      id: 'listServers',
      summary: 'List the drachtio and FreeSWITCH servers, and how each is now',
      method: 'get',
      path: '/servers',
      response: z.object({
        servers: z.array(serverResource).openapi({ description: 'In the order of the settings.' }),
      }),
      run: () => ({ servers: servers.list().map(toWire) }),
    }),
    operation({
      id: 'drainServer',
      summary: 'Take a server out of use for maintenance, or into use again',
      description:
        'A drained server gets no new call, from any node. Its calls go on until they end by themselves.',
      method: 'put',
      path: '/servers/{name}',
      params,
      body: z.strictObject({ isDrained: z.boolean() }),
      response: serverResource,
      errors: [404],
      run: async ({ params: { name }, body: { isDrained } }) => {
        const server = await servers.set(name, isDrained)
        if (server === undefined) throw notFound()
        return toWire(server)
      },
    }),
  ]
}

function toWire({ health, fault, faultMs, maxSessions, idlePercent, ...rest }: ServerView) {
  return {
    ...rest,
    state: health,
    fault: fault ?? null,
    faultSeconds: faultMs === undefined ? null : Math.round(faultMs / 1_000),
    maxSessions: maxSessions ?? null,
    idlePercent: idlePercent ?? null,
  }
}
