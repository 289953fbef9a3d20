/** The Events resource of a call: its event log as pairs of a request and a response. */
import { z } from '@hono/zod-openapi'
import type { ListPage } from '../../platform/api/list-operation.js'
import type { Calls } from '../calls/calls.js'
import type { EventLog } from '../events/event-log.js'
import type { EventCursor, StoredEvent } from '../events/event-storage.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { CALLS } from './call-operations.js'
import { ApiError } from './dialect/errors.js'
import { list, type VoiceOperation } from './dialect/operation.js'

const dictionary = z.record(z.string(), z.unknown())

const eventResource = z
  .object({
    request: dictionary.openapi({ description: 'method, url, parameters' }),
    response: dictionary.openapi({
      description: 'response_code, content_type, response_body, request_duration, date_created',
    }),
    sid: z.string().openapi({ description: 'Names the event in a PageToken' }),
    kind: z.string().openapi({
      description:
        'webhook, callback, sip, sip-message, media, status, verb, digits, detection, warning, error, …',
    }),
    at: z.string().openapi({ description: 'ISO 8601, with milliseconds' }),
    detail: dictionary,
  })
  .openapi('CallEvent')

export function eventOperations({
  calls,
  events,
}: {
  readonly calls: Calls
  readonly events: EventLog
}): VoiceOperation[] {
  return [
    list({
      id: 'listCallEvents',
      summary: 'List the events of a call, the oldest first',
      path: `${CALLS}/{CallSid}/Events`,
      name: 'events',
      record: eventResource,
      errors: [404],
      run: async ({ caller, params }, page) => {
        const call = await calls.fetch(caller.sid, params.CallSid)
        const found = await events.list(call.sid, cursorOf(page), page.limit)
        const [first, last] = [found.events[0], found.events.at(-1)].map(
          (event) => event && { at: event.at, sid: eventSid(event.id) },
        )
        return {
          items: found.events.map(eventToWire),
          total: found.total,
          first,
          nextAfter: found.hasMore ? last : undefined,
          path: `/${API_VERSION}/Accounts/${caller.sid}/Calls/${call.sid}/Events`,
        }
      },
    }),
  ]
}

function cursorOf({ offset, cursor }: ListPage): EventCursor {
  if (cursor === undefined) return { type: 'offset', offset }
  const id = eventIdOf(cursor.sid)
  if (id === undefined) throw new ApiError(400, 21481, 'Invalid PageToken')
  return { type: cursor.side, id }
}

export type WireEvent = z.infer<typeof eventResource>

/** Event fields shown in `request`; `response` omits them. */
const IN_REQUEST = ['method', 'url', 'params']
const IN_RESPONSE = ['status', 'contentType', 'responseBody', 'durationMs']

function eventToWire(event: StoredEvent): WireEvent {
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

/** Groups parameters by name; a repeated name has a list of values. */
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

function eventSid(id: number): string {
  return `EV${id.toString(16).padStart(32, '0')}`
}

/** Returns the id in an event sid; undefined for any other sid. */
function eventIdOf(sid: string): number | undefined {
  const [, hex] = EVENT_SID.exec(sid) ?? []
  const id = hex === undefined ? Number.NaN : Number.parseInt(hex, 16)
  return Number.isSafeInteger(id) ? id : undefined
}
