import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import { dequeue } from '../queues/dequeue.js'
import type { Queues } from '../queues/queues.js'
import { parseForm, readForm } from './form.js'
import { pageOfCalls } from './page-of-calls.js'
import { envelope, readPage } from './paging.js'
import { dequeueForm, QUEUE_FIELD_ERRORS, QUEUES } from './queue-schemas.js'
import { memberToWire } from './queue-wire.js'
import type { VoiceEnv } from './voice-env.js'

/** Who waits in a queue, each by the sid of its call; `Front` is who has waited longest. */
export function addQueueMemberRoutes(
  api: OpenAPIHono<VoiceEnv>,
  { queues, calls }: { readonly queues: Queues; readonly calls: Calls },
): void {
  const list = `${QUEUES.replace('{AccountSid}', ':AccountSid')}/:QueueSid/Members` as const
  const one = `${list}/:CallSid` as const

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const [accountSid, sid] = [c.var.account.sid, c.req.param('QueueSid')]
    const { shown, facts } = pageOfCalls(await queues.members(accountSid, sid), page)
    const path = `/2010-04-01/Accounts/${accountSid}/Queues/${sid}/Members`
    return c.json({
      queue_members: shown.map(memberToWire),
      ...envelope(path, query, page, facts),
    })
  })

  api.get(one, async (c) => {
    const [sid, which] = [c.req.param('QueueSid'), c.req.param('CallSid')]
    return c.json(memberToWire(await queues.member(c.var.account.sid, sid, which)))
  })

  api.post(one, async (c) => {
    const form = parseForm(dequeueForm, readForm(await c.req.text()), QUEUE_FIELD_ERRORS)
    const [sid, which] = [c.req.param('QueueSid'), c.req.param('CallSid')]
    const document = { url: form.Url, method: form.Method ?? 'POST' } as const
    const wanted = { accountSid: c.var.account.sid, queueSid: sid, which, document }
    return c.json(memberToWire(await dequeue(wanted, queues, calls)))
  })
}
