/**
 * A provider of look-ups behind HTTP, in JSON: `GET names/{number}` and
 * `GET routes/{destination}?caller=` below its URL. docs/lookups.md describes both.
 */
import { z } from '@hono/zod-openapi'
import type { Outbound } from '../../platform/http/outbound.js'
import { createProviderClient, type JsonServer } from '../../platform/http/provider-client.js'
import { LookupError, type LookupProvider } from '../lookup-provider.js'

/** A caller waits for a name. */
const TIMEOUT_MS = 5_000
const MAX_TEXT = 100

const text = z
  .string()
  .trim()
  .max(MAX_TEXT)
  .regex(/^[^\p{Cc}]*$/u)
const nameAnswer = z.object({ name: text.nullable() })
const routeAnswer = z.object({
  lrn: z.string().regex(/^\d{10}$/),
  ocn: text.default(''),
  lec: text.default(''),
  lecType: text.default(''),
  city: text.default(''),
  state: text.default(''),
  rateCenter: text.default(''),
  lata: text.default(''),
  local: z.enum(['Y', 'N']).default('N'),
  jurisdiction: z.enum(['INTRASTATE', 'INTERSTATE', 'INDETERMINATE']).default('INDETERMINATE'),
})

export function createHttpLookups(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
): LookupProvider {
  const provider = createProviderClient(outbound, server, {
    name: 'the provider of look-ups',
    Failure: LookupError,
    timeoutMs: TIMEOUT_MS,
  })
  const get = async <Value>(path: string, schema: z.ZodType<Value>): Promise<Value | undefined> => {
    const answer = await provider.send('GET', path)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) throw provider.unexpected(answer)
    return provider.read(schema, answer)
  }
  return {
    callerName: async (number) => {
      const answer = await get(`/names/${encodeURIComponent(number)}`, nameAnswer)
      return answer?.name === '' ? undefined : (answer?.name ?? undefined)
    },
    route: async (destination, caller) => {
      const query = new URLSearchParams({ caller }).toString()
      const route = await get(`/routes/${encodeURIComponent(destination)}?${query}`, routeAnswer)
      if (route === undefined) throw new LookupError(`there is no route to ${destination}`)
      return route
    },
  }
}
