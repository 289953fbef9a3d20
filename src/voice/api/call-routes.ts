import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Vault } from '../../platform/secrets.js'
import type { Calls } from '../calls/calls.js'
import type { EventLog } from '../events/event-log.js'
import type { CallRecord } from '../model/call-record.js'
import { callFilterOf } from './call-filter.js'
import { CALLS, documentCalls } from './call-openapi.js'
import { changeOf, planOf, type UpdateForm } from './call-plan-of-form.js'
import { CALL_FIELD_ERRORS, createCallForm, updateCallForm } from './call-schemas.js'
import { callToWire } from './call-wire.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

type Api = OpenAPIHono<VoiceEnv>

interface CallRoutesDeps {
  readonly calls: Calls
  readonly vault: Vault
  readonly events: EventLog
}

const BOTH_GIVEN = 32019

/** The Calls resource: POST and GET of the list, GET, POST and DELETE of one call. */
export function addCallRoutes(api: Api, deps: CallRoutesDeps): void {
  const { calls, vault, events } = deps
  documentCalls(api)

  api.post(routerPath(CALLS), async (c) => {
    const form = parseForm(createCallForm, readForm(await c.req.text()), CALL_FIELD_ERRORS)
    const plan = planOf(form, vault)
    const idempotencyKey = readIdempotencyKey(c.req.header('idempotency-key'))
    const wanted = { to: form.To, from: form.From, plan, ...idempotencyKey }
    const call = await calls.create(c.var.account, wanted)
    warnOfUnusedUrl(form, call, events)
    return c.json(callToWire(call), 201)
  })

  api.get(routerPath(CALLS), async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { sid } = c.var.account
    const found = await calls.list(sid, callFilterOf(query, c.var.account.phoneRegions), {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
      ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    })
    const path = routerPath(CALLS).replace(':AccountSid', sid)
    const first = found.items[0]?.sid
    return c.json(
      { calls: found.items.map(callToWire), ...envelope(path, query, page, { ...found, first }) },
      200,
    )
  })

  api.get(routerPath(`${CALLS}/{Sid}`), async (c) =>
    c.json(callToWire(await calls.fetch(c.var.account.sid, c.req.param('Sid') ?? '')), 200),
  )

  api.post(routerPath(`${CALLS}/{Sid}`), async (c) => {
    const form = parseForm(updateCallForm, readForm(await c.req.text()), CALL_FIELD_ERRORS)
    const call = await calls.update(c.var.account.sid, c.req.param('Sid') ?? '', changeOf(form))
    warnOfUnusedUrl(form, call, events)
    return c.json(callToWire(call), 200)
  })

  api.delete(routerPath(`${CALLS}/{Sid}`), async (c) => {
    await calls.remove(c.var.account.sid, c.req.param('Sid') ?? '')
    return c.body(null, 204)
  })
}

function warnOfUnusedUrl(
  { Url, Markup, Twiml }: UpdateForm,
  { sid, accountSid }: CallRecord,
  events: EventLog,
): void {
  if (Url === undefined || (Markup ?? Twiml) === undefined) return
  const message = 'Url is not used: the markup that was given with it is'
  events.append({
    callSid: sid,
    accountSid,
    kind: 'warning',
    detail: { code: BOTH_GIVEN, message },
  })
}

function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Any visible characters, as a client chooses them. */
function readIdempotencyKey(key: string | undefined): { readonly idempotencyKey?: string } {
  if (key === undefined) return {}
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return { idempotencyKey: key }
  throw new ApiError(400, 20422, "'Idempotency-Key' is not valid: 1 to 255 visible characters")
}
