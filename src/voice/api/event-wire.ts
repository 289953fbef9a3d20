/**
 * An event of a call as the convention's Call Event: a request, its response. Events that are no
 * request have both empty but for the date; what they say is in `detail`. Pure.
 */
import { z } from '@hono/zod-openapi'
import type { StoredEvent } from '../events/event-storage.js'
import { rfc2822 } from '../model/callback-params.js'

const dictionary = z.record(z.string(), z.unknown())

export const eventResource = z
  .object({
    request: dictionary.openapi({ description: 'method, url, parameters' }),
    response: dictionary.openapi({
      description: 'response_code, content_type, response_body, request_duration, date_created',
    }),
    sid: z.string().openapi({ description: 'Names the event in a PageToken' }),
    kind: z.string().openapi({
      description: 'webhook, callback, sip, status, verb, digits, detection, warning, error, …',
    }),
    at: z.string().openapi({ description: 'ISO 8601, with milliseconds' }),
    detail: dictionary,
  })
  .openapi('CallEvent')

export type WireEvent = z.infer<typeof eventResource>

/** What `request` and `response` hold is not said twice. */
const IN_REQUEST = ['method', 'url', 'params']
const IN_RESPONSE = ['status', 'contentType', 'responseBody', 'durationMs']

export function eventToWire(event: StoredEvent): WireEvent {
  const common = {
    sid: eventSid(event.id),
    kind: event.kind,
    at: new Date(event.at).toISOString(),
  }
  const date_created = rfc2822(new Date(event.at))
  const { detail } = event
  if (event.kind !== 'webhook' && event.kind !== 'callback')
    return { request: {}, response: { date_created }, ...common, detail }
  return {
    request: { method: detail['method'], url: detail['url'], parameters: parametersOf(detail) },
    response: {
      response_code: detail['status'] ?? null,
      content_type: detail['contentType'] ?? null,
      response_body: detail['responseBody'] ?? null,
      request_duration: detail['durationMs'] ?? null,
      date_created,
    },
    ...common,
    detail: Object.fromEntries(
      Object.entries(detail).filter(
        ([name]) => !IN_REQUEST.includes(name) && !IN_RESPONSE.includes(name),
      ),
    ),
  }
}

/** A name that was sent more than once has all its values. */
function parametersOf(detail: StoredEvent['detail']): Record<string, string | string[]> {
  const { params } = detail
  const parameters: Record<string, string | string[]> = {}
  if (!Array.isArray(params)) return parameters
  for (const pair of params) {
    const [name, value] = z.tuple([z.string(), z.string()]).parse(pair)
    const earlier = parameters[name]
    parameters[name] = earlier === undefined ? value : [earlier, value].flat()
  }
  return parameters
}

const EVENT_SID = /^EV([0-9a-f]{32})$/

export function eventSid(id: number): string {
  return `EV${id.toString(16).padStart(32, '0')}`
}

/** Undefined for what no event of ours is called. */
export function eventIdOf(sid: string): number | undefined {
  const [, hex] = EVENT_SID.exec(sid) ?? []
  const id = hex === undefined ? Number.NaN : Number.parseInt(hex, 16)
  return Number.isSafeInteger(id) ? id : undefined
}
