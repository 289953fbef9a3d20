/**
 * A provider that mediates with losing carriers over HTTP and JSON: `GET portability/{number}`, `PUT
 * ports/{reference}` and `DELETE ports/{reference}` below its URL. docs/porting.md describes each.
 */
import { z } from '@hono/zod-openapi'
import { AdapterError } from '../platform/errors.js'
import type { Outbound } from '../platform/http/outbound.js'
import { createProviderClient, type JsonServer } from '../platform/http/provider-client.js'
import type { CarrierAnswer, CarrierOrder, LosingCarrier, Portability } from './losing-carrier.js'

const MAX_TEXT = 500
/** Default interval until a port is asked about again, ms. */
const ASK_AGAIN_MS = 15 * 60_000
/** Minimum interval, ms, also when the provider's clock is behind. */
const LEAST_WAIT_MS = 60_000

const text = z
  .string()
  .trim()
  .max(MAX_TEXT)
  .regex(/^[^\p{Cc}]*$/u)
const portability = z.object({
  portable: z.boolean(),
  reason: text.optional(),
  carrier: text.default(''),
  lrn: z
    .string()
    .regex(/^\d{10}$/)
    .optional(),
  rateCenterTier: text.optional(),
})
const answered = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('wait'), until: z.iso.datetime({ offset: true }).optional() }),
  z.object({ answer: z.enum(['review-began', 'review-passed', 'activated']) }),
  z.object({ answer: z.literal('date-confirmed'), foc: z.iso.date() }),
  z.object({ answer: z.literal('rejected'), reason: text.min(1) }),
])

export function createHttpCarrier(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
): LosingCarrier {
  const provider = createProviderClient(outbound, server, {
    name: 'the provider of ports',
    Failure: AdapterError,
  })
  return {
    portability: async (e164) => {
      const answer = await provider.send('GET', `/portability/${encodeURIComponent(e164)}`)
      if (answer.status === 404) return UNKNOWN_NUMBER
      if (answer.status !== 200) throw provider.unexpected(answer)
      return portabilityOf(provider.read(portability, answer))
    },
    ask: async (order, now) => {
      const path = `/ports/${encodeURIComponent(order.reference)}`
      if (order.state === 'cancelled') {
        const answer = await provider.send('DELETE', path)
        if (answer.status >= 300 && answer.status !== 404) throw provider.unexpected(answer)
        return { type: 'wait', until: undefined }
      }
      const answer = await provider.send('PUT', path, bodyOf(order))
      if (answer.status !== 200) throw provider.unexpected(answer)
      return answerOf(provider.read(answered, answer), now)
    },
  }
}

const UNKNOWN_NUMBER: Portability = {
  isPortable: false,
  reason: 'No carrier is known that has the number.',
  losingCarrier: '',
  localRoutingNumber: undefined,
  rateCenterTier: undefined,
}

function portabilityOf(found: z.infer<typeof portability>): Portability {
  const { portable, reason, carrier, lrn, rateCenterTier } = found
  return {
    isPortable: portable,
    reason: portable ? undefined : (reason ?? 'The carrier of the number does not let it go.'),
    losingCarrier: carrier,
    localRoutingNumber: lrn,
    rateCenterTier,
  }
}

/** The order with its times as texts; the reference is in the path. */
function bodyOf({ reference: _reference, enteredAt, ...order }: CarrierOrder): object {
  return { ...order, enteredAt: new Date(enteredAt).toISOString() }
}

function answerOf(given: z.infer<typeof answered>, now: number): CarrierAnswer {
  switch (given.answer) {
    case 'wait':
      return {
        type: 'wait',
        until:
          given.until === undefined
            ? now + ASK_AGAIN_MS
            : Math.max(Date.parse(given.until), now + LEAST_WAIT_MS),
      }
    case 'date-confirmed':
      return { type: 'date-confirmed', foc: given.foc }
    case 'rejected':
      return { type: 'rejected', reason: given.reason }
    default:
      return { type: given.answer }
  }
}
