import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import type { EventLog } from '../events/event-log.js'
import type { EventCursor } from '../events/event-storage.js'
import { CALLS } from './call-openapi.js'
import { account, json, problems, routerPath, security } from './documented.js'
import { ApiError } from './errors.js'
import { eventIdOf, eventResource, eventSid, eventToWire } from './event-wire.js'
import { envelope, type PageRequest, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

const EVENTS = `${CALLS}/{CallSid}/Events`

/** GET of a call's event log, oldest first. */
export function addEventRoutes(
  api: OpenAPIHono<VoiceEnv>,
  { calls, events }: { readonly calls: Calls; readonly events: EventLog },
): void {
  api.openAPIRegistry.registerPath(route())
  api.get(routerPath(EVENTS), async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { sid: accountSid } = c.var.account
    const call = await calls.fetch(accountSid, c.req.param('CallSid') ?? '')
    const found = await events.list(call.sid, cursorOf(page), page.pageSize)
    const [first, last] = [found.events[0], found.events.at(-1)].map((event) =>
      event === undefined ? undefined : eventSid(event.id),
    )
    const path = `${CALLS.replace('{AccountSid}', accountSid)}/${call.sid}/Events`
    const nextAfter = found.hasMore ? last : undefined
    const around = envelope(path, query, page, { total: found.total, first, nextAfter })
    return c.json({ events: found.events.map(eventToWire), ...around }, 200)
  })
}

function cursorOf({ page, pageSize, cursor }: PageRequest): EventCursor {
  if (cursor === undefined) return { type: 'offset', offset: page * pageSize }
  const id = eventIdOf(cursor.sid)
  if (id === undefined) throw new ApiError(400, 21481, 'Invalid PageToken')
  return { type: cursor.side, id }
}

function route() {
  return createRoute({
    method: 'get',
    path: EVENTS,
    security,
    operationId: 'listCallEvents',
    request: {
      params: account.extend({ CallSid: z.string() }),
      query: z.object({
        Page: z.string().optional(),
        PageSize: z.string().optional(),
        PageToken: z.string().optional(),
      }),
    },
    responses: {
      200: json(z.object({ events: z.array(eventResource) }), 'A page, oldest first'),
      ...problems,
    },
  })
}
