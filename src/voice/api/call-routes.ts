import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Vault } from '../../platform/secrets.js'
import type { CallPlan, HttpMethod, StatusCallbackPlan } from '../calls/call-plan.js'
import { DEFAULT_STATUS_EVENTS } from '../calls/call-plan.js'
import type { CallFilter } from '../calls/call-storage.js'
import type { Calls, UpdateCall } from '../calls/calls.js'
import { CALLS, documentCalls } from './call-openapi.js'
import { CALL_FIELD_ERRORS, callResource, createCallForm, updateCallForm } from './call-schemas.js'
import { callToWire } from './call-wire.js'
import { readTimeRange } from './date-filter.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

const MAX_INLINE_CHARS = 4_000
const DEFAULT_TIMEOUT_SECONDS = 60

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
    const form = parseForm(updateCallForm, readForm(await c.req.text()), {
      ...CALL_FIELD_ERRORS,
      Status: { invalid: 21220 },
    })
    const call = await calls.update(c.var.account.sid, c.req.param('Sid') ?? '', changeOf(form))
    return c.json(callToWire(call), 200)
  })

  api.delete(honoPath(`${CALLS}/{Sid}`), async (c) => {
    await calls.remove(c.var.account.sid, c.req.param('Sid') ?? '')
    return c.body(null, 204)
  })
}

interface DocumentFields {
  readonly Url?: string | undefined
  readonly Markup?: string | undefined
  readonly Twiml?: string | undefined
  readonly Method?: HttpMethod | undefined
  readonly FallbackUrl?: string | undefined
  readonly FallbackMethod?: HttpMethod | undefined
}

/** `Markup` wins over `Url`, as the specification has it. */
function documentOf(form: DocumentFields): CallPlan['document'] | undefined {
  const inline = form.Markup ?? form.Twiml
  if (inline !== undefined) {
    if (inline.length > MAX_INLINE_CHARS) {
      throw new ApiError(
        400,
        32018,
        `Markup size exceeded the maximum of ${MAX_INLINE_CHARS} characters`,
      )
    }
    return { type: 'inline', text: inline }
  }
  if (form.Url === undefined) return undefined
  return {
    type: 'url',
    url: form.Url,
    method: form.Method ?? 'POST',
    fallbackMethod: form.FallbackMethod ?? 'POST',
    ...(form.FallbackUrl === undefined ? {} : { fallbackUrl: form.FallbackUrl }),
  }
}

interface StatusFields {
  readonly StatusCallback?: string | undefined
  readonly StatusCallbackMethod?: HttpMethod | undefined
  readonly StatusCallbackEvent?: readonly StatusCallbackPlan['events'][number][] | undefined
}

function statusCallbackOf(form: StatusFields): StatusCallbackPlan | undefined {
  if (form.StatusCallback === undefined) return undefined
  const events = form.StatusCallbackEvent ?? []
  return {
    url: form.StatusCallback,
    method: form.StatusCallbackMethod ?? 'POST',
    // An empty list stands for the default.
    events: events.length === 0 ? DEFAULT_STATUS_EVENTS : events,
  }
}

function planOf(form: z.infer<typeof createCallForm>, vault: Vault): CallPlan {
  const document = documentOf(form)
  if (document === undefined)
    throw new ApiError(400, 21205, "Url parameter is required: one of 'Url' and 'Markup'")
  const statusCallback = statusCallbackOf(form)
  const sipAuth =
    form.SipAuthUsername === undefined
      ? undefined
      : { username: form.SipAuthUsername, passwordSealed: vault.seal(form.SipAuthPassword ?? '') }
  return {
    document,
    timeoutSeconds: form.Timeout ?? DEFAULT_TIMEOUT_SECONDS,
    ...(statusCallback === undefined ? {} : { statusCallback }),
    ...(form.SendDigits === undefined ? {} : { sendDigits: form.SendDigits }),
    ...(form.CallReason === undefined ? {} : { callReason: form.CallReason }),
    ...(sipAuth === undefined ? {} : { sipAuth }),
  }
}

function changeOf(form: z.infer<typeof updateCallForm>): UpdateCall {
  const document = documentOf(form)
  const statusCallback = statusCallbackOf(form)
  return {
    ...(form.Status === undefined ? {} : { end: form.Status }),
    ...(document === undefined ? {} : { document }),
    ...(statusCallback === undefined ? {} : { statusCallback }),
  }
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
