import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Calls } from '../calls/calls.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { RecordingFilter } from '../recordings/list-recordings.js'
import { NotEligibleForRecordingError } from '../recordings/recording-errors.js'
import type { RecorderEvent } from '../recordings/recording-machine.js'
import type { RecordingRecord } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'
import { readTimeRange } from './date-filter.js'
import { routerPath } from './documented.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import { sendRecordingMedia } from './recording-media-routes.js'
import { documentRecordings, OF_ACCOUNT, OF_CALL } from './recording-openapi.js'
import {
  RECORDING_FIELD_ERRORS,
  type recordingResource,
  startRecordingForm,
  updateRecordingForm,
} from './recording-schemas.js'
import { recordingToWire } from './recording-wire.js'
import type { VoiceEnv } from './voice-env.js'

interface Deps {
  readonly calls: Calls
  readonly recordings: Recordings
}

/** Recordings of a call, and of the account: the resource and, without `.json`, its sound. */
export function addRecordingRoutes(api: OpenAPIHono<VoiceEnv>, { calls, recordings }: Deps): void {
  documentRecordings(api)
  const show: Show = (recording) =>
    recordingToWire(recording, new Map(recordings.paramsOf(recording)).get('RecordingUrl') ?? '')

  api.post(routerPath(OF_CALL), async (c) => {
    const text = await c.req.text()
    const form = parseForm(startRecordingForm, readForm(text), RECORDING_FIELD_ERRORS)
    const { call, leg } = await calls.talking(c.var.account.sid, param(c, 'CallSid'))
    if (leg === undefined) throw new NotEligibleForRecordingError()
    return c.json(show(await recordings.startOnce(call, leg, wantedOf(form))), 201)
  })

  api.post(routerPath(`${OF_CALL}/{Sid}`), async (c) => {
    const text = await c.req.text()
    const form = parseForm(updateRecordingForm, readForm(text), RECORDING_FIELD_ERRORS)
    const [callSid, sid] = [param(c, 'CallSid'), param(c, 'Sid')]
    const changed = await recordings.change(c.var.account.sid, callSid, sid, eventOf(form))
    return c.json(show(changed), 200)
  })

  api.get(routerPath(`${OF_CALL}/{Sid}`), async (c) => {
    const callSid = param(c, 'CallSid')
    const suffix = suffixOf(c)
    if (suffix === 'wav' || suffix === 'mp3')
      return await sendRecordingMedia(c, recordings, {
        ...{ sid: param(c, 'Sid'), callSid },
        format: suffix,
      })
    return c.json(show(await recordings.fetch(c.var.account.sid, param(c, 'Sid'), callSid)))
  })

  api.delete(routerPath(`${OF_CALL}/{Sid}`), async (c) => {
    await recordings.remove(c.var.account.sid, param(c, 'Sid'), param(c, 'CallSid'))
    return c.body(null, 204)
  })

  addAccountRoutes(api, recordings, show)
  addLists(api, { calls, recordings }, show)
}

type Show = (recording: RecordingRecord) => z.infer<typeof recordingResource>

function addAccountRoutes(api: OpenAPIHono<VoiceEnv>, recordings: Recordings, show: Show): void {
  api.get(routerPath(`${OF_ACCOUNT}/{Sid}`), async (c) => {
    const suffix = suffixOf(c)
    const sid = param(c, 'Sid')
    if (suffix === 'json' || suffix === 'xml')
      return c.json(show(await recordings.fetch(c.var.account.sid, sid)))
    const format = suffix === 'mp3' ? 'mp3' : 'wav'
    return await sendRecordingMedia(c, recordings, { sid, format })
  })

  api.delete(routerPath(`${OF_ACCOUNT}/{Sid}`), async (c) => {
    await recordings.remove(c.var.account.sid, param(c, 'Sid'))
    return c.body(null, 204)
  })
}

function addLists(api: OpenAPIHono<VoiceEnv>, { calls, recordings }: Deps, show: Show): void {
  api.get(routerPath(OF_CALL), async (c) => {
    const call = await calls.fetch(c.var.account.sid, param(c, 'CallSid'))
    return await listed(c, `/Calls/${call.sid}/Recordings`, { callSid: call.sid })
  })

  api.get(routerPath(OF_ACCOUNT), async (c) => {
    const callSid = sidFilter(c, 'CallSid', 'CA')
    const conferenceSid = sidFilter(c, 'ConferenceSid', 'CF')
    return await listed(c, '/Recordings', { callSid, conferenceSid })
  })

  async function listed(c: Context<VoiceEnv>, where: string, filter: RecordingFilter) {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const created = readTimeRange(query, 'DateCreated')
    const wanted = { ...filter, createdFrom: created.from, createdBefore: created.before }
    const { sid } = c.var.account
    const found = await recordings.list(sid, wanted, {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
      cursor: page.cursor,
    })
    const path = `/2010-04-01/Accounts/${sid}${where}`
    const facts = { ...found, first: found.items[0]?.sid }
    return c.json({
      recordings: found.items.map(show),
      ...envelope(path, query, page, facts),
    })
  }
}

function wantedOf(form: z.infer<typeof startRecordingForm>): RecordingWish {
  const { RecordingStatusCallback: url, RecordingMaxDuration: seconds = 0 } = form
  const events = form.RecordingStatusCallbackEvent ?? []
  return {
    source: 'StartCallRecordingAPI',
    channels: form.RecordingChannels ?? 'mono',
    track: form.RecordingTrack ?? 'both',
    trim: form.Trim ?? 'do-not-trim',
    maxMs: seconds === 0 ? undefined : 1_000 * seconds,
    callback:
      url === undefined
        ? undefined
        : {
            url,
            method: form.RecordingStatusCallbackMethod ?? 'POST',
            events: events.length === 0 ? ['completed'] : events,
          },
  }
}

function eventOf(form: z.infer<typeof updateRecordingForm>): RecorderEvent {
  if (form.Status === 'paused') return { type: 'pause', behavior: form.PauseBehavior ?? 'silence' }
  return { type: form.Status === 'stopped' ? 'stop' : 'resume' }
}

function sidFilter(c: Context<VoiceEnv>, name: string, prefix: string): string | undefined {
  const value = c.req.query(name)
  if (value === undefined || value === '') return undefined
  if (new RegExp(`^${prefix}[0-9a-fA-F]{32}$`).test(value)) return value
  throw new ApiError(400, 20422, `'${name}' is not valid: must be ${prefix} and 32 hex digits`)
}

function param(c: Context<VoiceEnv>, name: string): string {
  return c.req.param(name) ?? ''
}

/** Its suffix has been taken off the path by now. */
function suffixOf(c: Context<VoiceEnv>): string | undefined {
  return /\.(\w+)$/.exec(new URL(c.req.url).pathname)?.[1]
}
