import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Queues } from '../queues/queues.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import { documentQueues } from './queue-openapi.js'
import { createQueueForm, QUEUE_FIELD_ERRORS, QUEUES, updateQueueForm } from './queue-schemas.js'
import { queueToWire } from './queue-wire.js'
import type { VoiceEnv } from './voice-env.js'

/** Of a queue that the API makes (documented); one that an Enqueue makes holds fewer. */
const DEFAULT_SIZE = 1_000

/** The Queues resource: POST and GET of the list; GET, POST and DELETE of one. */
export function addQueueRoutes(
  api: OpenAPIHono<VoiceEnv>,
  { queues }: { readonly queues: Queues },
): void {
  documentQueues(api)
  const list = QUEUES.replace('{AccountSid}', ':AccountSid')

  api.post(list, async (c) => {
    const form = parseForm(createQueueForm, readForm(await c.req.text()), QUEUE_FIELD_ERRORS)
    if (form.FriendlyName === undefined)
      throw new ApiError(400, 20002, "Required parameter 'FriendlyName' is missing")
    const { sid } = c.var.account
    const made = await queues.create(sid, form.FriendlyName, form.MaxSize ?? DEFAULT_SIZE)
    return c.json(queueToWire(made), 201)
  })

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { sid } = c.var.account
    const found = await queues.list(sid, {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
      cursor: page.cursor,
    })
    const facts = { ...found, first: found.items[0]?.record.sid }
    const path = list.replace(':AccountSid', sid)
    return c.json({ queues: found.items.map(queueToWire), ...envelope(path, query, page, facts) })
  })

  api.get(`${list}/:Sid`, async (c) =>
    c.json(queueToWire(await queues.fetch(c.var.account.sid, c.req.param('Sid')))),
  )

  api.post(`${list}/:Sid`, async (c) => {
    const form = parseForm(updateQueueForm, readForm(await c.req.text()), QUEUE_FIELD_ERRORS)
    const change = { friendlyName: form.FriendlyName, maxSize: form.MaxSize }
    const changed = await queues.update(c.var.account.sid, c.req.param('Sid'), change)
    return c.json(queueToWire(changed))
  })

  api.delete(`${list}/:Sid`, async (c) => {
    await queues.remove(c.var.account.sid, c.req.param('Sid'))
    return c.body(null, 204)
  })
}
