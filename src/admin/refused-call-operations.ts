import { z } from '@hono/zod-openapi'
import type { RefusedCalls } from '../voice/refused-calls/refused-calls.js'
import { type AdminOperation, operation } from './admin-operation.js'

const MAX_SHOWN = 1_000

const refusedCall = z
  .object({
    firstAt: z.number().openapi({ description: 'When the first of them came, epoch ms.' }),
    lastAt: z.number().openapi({ description: 'When the last of them came, epoch ms.' }),
    calls: z.number().int().openapi({ description: 'Number of equal requests within an hour.' }),
    source: z.string().nullable().openapi({
      description: 'Address, port and transport of the sender; null for many senders together.',
    }),
    method: z.string().openapi({ description: 'INVITE or REGISTER.' }),
    from: z.string().openapi({ description: 'The URI of the From header.' }),
    to: z.string().openapi({ description: 'The Request-URI.' }),
    status: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'The SIP status of the response; null without a response.' }),
    reason: z.string().openapi({ description: 'Why, in words for the operator.' }),
    accountSid: z.string().nullable().openapi({ description: 'The account, where it is known.' }),
    callId: z.string().openapi({ description: 'The Call-ID of the last request.' }),
    userAgent: z.string().openapi({ description: 'The User-Agent of the last request.' }),
    node: z.string().openapi({ description: 'The server that refused the last request.' }),
  })
  .openapi('RefusedCall')

const refusedCallQuery = z.strictObject({
  address: z
    .string()
    .max(64)
    .optional()
    .openapi({ description: 'Only those from this IP address.' }),
  to: z.string().max(200).optional().openapi({ description: 'Only those to this URI.' }),
  status: z.coerce
    .number()
    .int()
    .min(0)
    .max(699)
    .optional()
    .openapi({ description: 'Only those with this status; 0 for those without a response.' }),
  since: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({ description: 'Only those that came after, epoch ms.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_SHOWN)
    .default(50)
    .openapi({ description: 'How many.' }),
})

/** The operation that shows why calls did not arrive. */
export function refusedCallOperations(refusedCalls: Pick<RefusedCalls, 'list'>): AdminOperation[] {
  return [
    operation({
      id: 'listRefusedCalls',
      summary:
        'List the INVITEs that were refused before they were calls, and the refused REGISTERs, the newest first',
      method: 'get',
      path: '/refused-calls',
      query: refusedCallQuery,
      response: z.object({
        refusedCalls: z.array(refusedCall).openapi({ description: 'The newest first.' }),
      }),
      run: async ({ query: { address, to: called, status, since, limit } }) => {
        const found = await refusedCalls.list({ address, called, status, since }, limit)
        return {
          refusedCalls: found.map(({ address, port, transport, ...row }) => ({
            firstAt: row.firstAt,
            lastAt: row.lastAt,
            calls: row.calls,
            source: sourceText(address, port, transport),
            method: row.method,
            from: row.fromUri,
            to: row.called,
            status: row.status === 0 ? null : row.status,
            reason: row.why,
            accountSid: row.accountSid,
            callId: row.callId,
            userAgent: row.userAgent,
            node: row.node,
          })),
        }
      },
    }),
  ]
}

function sourceText(address: string, port: number, transport: string): string | null {
  if (address !== '') return `${address} ${port} ${transport}`
  return transport === 'inside' ? 'this server' : null
}
