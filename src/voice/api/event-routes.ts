import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import type { EventLog } from '../calls/event-log.js'
import type { EventCursor } from '../calls/event-storage.js'
import { CALLS } from './call-openapi.js'
import { errorResource } from './call-schemas.js'
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
  api.get(EVENTS.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { account } = c.var
    const call = await calls.fetch(account.sid, c.req.param('CallSid') ?? '')
    const found = await events.list(call.sid, cursorOf(page), page.pageSize)
    const [first, last] = [found.events[0], found.events.at(-1)].map((event) =>
      event === undefined ? undefined : eventSid(event.id),
    )
    const path = `${CALLS.replace('{AccountSid}', account.sid)}/${call.sid}/Events`
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
  const problem = {
    description: 'The documented error',
    content: { 'application/json': { schema: errorResource } },
  }
  return createRoute({
    method: 'get',
    path: EVENTS,
    security: [{ account: [] }],
    operationId: 'listCallEvents',
    request: {
      params: z.object({ AccountSid: z.string(), CallSid: z.string() }),
      query: z.object({
        Page: z.string().optional(),
        PageSize: z.string().optional(),
        PageToken: z.string().optional(),
      }),
    },
    responses: {
      200: {
        description: 'A page, oldest first',
        content: { 'application/json': { schema: z.object({ events: z.array(eventResource) }) } },
      },
      400: problem,
      401: problem,
      404: problem,
    },
  })
}
