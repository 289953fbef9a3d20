import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Vault } from '../../platform/secrets.js'
import type { CallFilter } from '../calls/call-storage.js'
import type { Calls } from '../calls/calls.js'
import { CALLS, documentCalls } from './call-openapi.js'
import { changeOf, planOf } from './call-plan-of-form.js'
import { CALL_FIELD_ERRORS, callResource, createCallForm, updateCallForm } from './call-schemas.js'
import { callToWire } from './call-wire.js'
import { readTimeRange } from './date-filter.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

type Api = OpenAPIHono<VoiceEnv>

/** The Calls resource: POST and GET of the list, GET, POST and DELETE of one call. */
export function addCallRoutes(api: Api, deps: { calls: Calls; vault: Vault }): void {
  const { calls, vault } = deps
  documentCalls(api)

  api.post(honoPath(CALLS), async (c) => {
    const form = parseForm(createCallForm, readForm(await c.req.text()), CALL_FIELD_ERRORS)
    const plan = planOf(form, vault)
    const call = await calls.create(c.var.account, { to: form.To, from: form.From, plan })
    return c.json(callToWire(call), 201)
  })

  api.get(honoPath(CALLS), async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { sid } = c.var.account
    const { calls: found, total } = await calls.list(sid, filterOf(query), {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
    })
    const wire = found.map(callToWire)
    const path = honoPath(CALLS).replace(':AccountSid', sid)
    return c.json(
      {
        calls: wire,
        ...envelope(
          path,
          query,
          page,
          total,
          found.map((call) => call.sid),
        ),
      },
      200,
    )
  })

  api.get(honoPath(`${CALLS}/{Sid}`), async (c) =>
    c.json(callToWire(await calls.fetch(c.var.account.sid, c.req.param('Sid') ?? '')), 200),
  )

  api.post(honoPath(`${CALLS}/{Sid}`), async (c) => {
    const form = parseForm(updateCallForm, readForm(await c.req.text()), CALL_FIELD_ERRORS)
    const call = await calls.update(c.var.account.sid, c.req.param('Sid') ?? '', changeOf(form))
    return c.json(callToWire(call), 200)
  })

  api.delete(honoPath(`${CALLS}/{Sid}`), async (c) => {
    await calls.remove(c.var.account.sid, c.req.param('Sid') ?? '')
    return c.body(null, 204)
  })
}

const STATUSES = callResource.shape.status

function filterOf(query: URLSearchParams): CallFilter {
  const status = query.get('Status') ?? ''
  const started = readTimeRange(query, 'StartTime')
  const ended = readTimeRange(query, 'EndTime')
  return {
    ...textFilter(query, 'To', 'to'),
    ...textFilter(query, 'From', 'from'),
    ...textFilter(query, 'ParentCallSid', 'parentCallSid'),
    ...(status === '' ? {} : { status: readStatus(status) }),
    ...(started.from === undefined ? {} : { startedFrom: started.from }),
    ...(started.before === undefined ? {} : { startedBefore: started.before }),
    ...(ended.from === undefined ? {} : { endedFrom: ended.from }),
    ...(ended.before === undefined ? {} : { endedBefore: ended.before }),
  }
}

function textFilter(query: URLSearchParams, name: string, key: 'to' | 'from' | 'parentCallSid') {
  const value = query.get(name)
  return value === null || value === '' ? {} : { [key]: value }
}

function readStatus(status: string) {
  const known = STATUSES.safeParse(status)
  if (known.success) return known.data
  throw new ApiError(400, 20422, "'Status' is not valid: not a call status")
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
