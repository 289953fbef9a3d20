import { z } from '@hono/zod-openapi'
import { isRange } from '../platform/cidr.js'

const method = z.enum(['GET', 'POST']).default('POST')
export const url = z.url({ protocol: /^https?$/ })

/** PUT /numbers/{E.164} */
export const numberBody = z.object({
  accountSid: z.string(),
  voiceUrl: url.optional(),
  voiceMethod: method,
  voiceFallbackUrl: url.optional(),
  voiceFallbackMethod: method,
  statusCallback: url.optional(),
  statusCallbackMethod: method,
})

export const cidr = z.string().refine(isRange, 'an address or CIDR')

/** PUT /carriers/{name} */
export const carrierBody = z.object({
  host: z.string().regex(/^([A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:]{2,45})$/),
  port: z.number().int().min(1).max(65_535).default(5060),
  transport: z.enum(['udp', 'tcp']).default('udp'),
  prefixes: z.array(z.string().regex(/^\+[0-9]{0,15}$/)).default(['+']),
  priority: z.number().int().min(0).max(1_000).default(10),
  weight: z.number().int().min(1).max(1_000).default(1),
  addresses: z.array(cidr).default([]),
  auth: z.object({ username: z.string().min(1), password: z.string() }).optional(),
})
