import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import { CallNotInProgressError } from '../model/call-errors.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { StreamRecord } from '../streams/stream-record.js'
import { tracksOf } from '../streams/stream-tracks.js'
import type { Streams } from '../streams/streams.js'
import { CALLS } from './call-openapi.js'
import { account, form, json, problems, routerPath, security } from './documented.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import { parametersOf } from './stream-parameters.js'
import {
  STREAM_FIELD_ERRORS,
  startStreamForm,
  stopStreamForm,
  streamList,
  streamResource,
} from './stream-schemas.js'
import type { VoiceEnv } from './voice-env.js'

const STREAMS = `${CALLS}/{CallSid}/Streams`
/** Without a Track, and, as documented, with any: it is accepted and not applied. */
const TRACK = 'inbound_track'

/** The Streams resource of a call: POST and GET of the list, POST and GET of one. */
export function addStreamRoutes(
  api: OpenAPIHono<VoiceEnv>,
  { calls, streams }: { readonly calls: Calls; readonly streams: Streams },
): void {
  for (const route of routes()) api.openAPIRegistry.registerPath(route)
  const list = routerPath(STREAMS)
  const one = routerPath(`${STREAMS}/{Sid}`)
  const callOf = async (accountSid: string, sid: string | undefined) => {
    const call = await calls.fetch(accountSid, sid ?? '')
    return { accountSid, callSid: call.sid }
  }

  api.post(list, async (c) => {
    const call = await callOf(c.var.account.sid, c.req.param('CallSid'))
    const fields = readForm(await c.req.text())
    const form = parseForm(startStreamForm, fields, STREAM_FIELD_ERRORS)
    const parameters = parametersOf(fields)
    const { leg } = await calls.talking(call.accountSid, call.callSid)
    if (leg === undefined)
      throw new CallNotInProgressError(`call ${call.callSid} is not in progress`)
    const callback =
      form.StatusCallback === undefined
        ? undefined
        : { url: form.StatusCallback, method: form.StatusCallbackMethod ?? 'POST' }
    // One way: no digits are told.
    const target = { ...call, leg, onDigit: () => () => undefined }
    const { record } = await streams.start(target, {
      ...{ url: form.Url, name: form.Name, callback, parameters },
      track: form.Track ?? TRACK,
      tracks: tracksOf(TRACK),
      kind: 'one-way',
    })
    return c.json(streamToWire(record), 200)
  })

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const call = await callOf(c.var.account.sid, c.req.param('CallSid'))
    const found = await streams.latest(call)
    const isShown = found !== undefined && page.page === 0
    const facts = { total: found === undefined ? 0 : 1, first: found?.sid, nextAfter: undefined }
    const path = list.replace(':AccountSid', call.accountSid).replace(':CallSid', call.callSid)
    const around = envelope(path, query, page, facts)
    return c.json({ streams: isShown ? [streamToWire(found)] : [], ...around }, 200)
  })

  api.get(one, async (c) => {
    const call = await callOf(c.var.account.sid, c.req.param('CallSid'))
    return c.json(streamToWire(await streams.fetch(call, c.req.param('Sid') ?? '')), 200)
  })

  api.post(one, async (c) => {
    const call = await callOf(c.var.account.sid, c.req.param('CallSid'))
    parseForm(stopStreamForm, readForm(await c.req.text()), STREAM_FIELD_ERRORS)
    return c.json(streamToWire(await streams.stop(call, c.req.param('Sid') ?? '')), 200)
  })
}

function streamToWire(stream: StreamRecord): z.infer<typeof streamResource> {
  const { sid, accountSid, callSid } = stream
  return {
    sid,
    account_sid: accountSid,
    call_sid: callSid,
    name: stream.name ?? null,
    status: stream.status,
    date_created: rfc2822(new Date(stream.createdAt)),
    date_updated: rfc2822(new Date(stream.updatedAt)),
    uri: `/${API_VERSION}/Accounts/${accountSid}/Calls/${callSid}/Streams/${sid}.json`,
  }
}

function routes(): RouteConfig[] {
  const call = account.extend({ CallSid: z.string() })
  const stream = call.extend({ Sid: z.string() })
  const found = { 200: json(streamResource, 'The stream'), ...problems }
  return [
    createRoute({
      ...{ method: 'post', path: STREAMS, security, operationId: 'startStream' },
      request: { params: call, ...form(startStreamForm) },
      responses: found,
    }),
    createRoute({
      ...{ method: 'get', path: STREAMS, security, operationId: 'listStreams' },
      request: { params: call },
      responses: { 200: json(streamList, 'One stream, or none'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: `${STREAMS}/{Sid}`, security, operationId: 'fetchStream' },
      request: { params: stream },
      responses: found,
    }),
    createRoute({
      ...{ method: 'post', path: `${STREAMS}/{Sid}`, security, operationId: 'stopStream' },
      request: { params: stream, ...form(stopStreamForm) },
      responses: found,
    }),
  ]
}
