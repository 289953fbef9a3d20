import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Conferences } from '../conferences/conferences.js'
import type { Recordings } from '../recordings/recordings.js'
import { CONFERENCES } from './conference-schemas.js'
import { readTimeRange } from './date-filter.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import { RECORDING_FIELD_ERRORS, updateRecordingForm } from './recording-schemas.js'
import { recordingToWire } from './recording-wire.js'
import type { VoiceEnv } from './voice-env.js'

/**
 * Recordings of a conference: GET of the list; GET, POST and DELETE of one. A pause is left out of the
 * file, whatever its `PauseBehavior`: the media server writes no silence for a room.
 */
export function addConferenceRecordingRoutes(
  api: OpenAPIHono<VoiceEnv>,
  deps: { readonly conferences: Conferences; readonly recordings: Recordings },
): void {
  const { conferences, recordings } = deps
  const ofAccount = CONFERENCES.replace('{AccountSid}', ':AccountSid')
  const list = `${ofAccount}/:ConferenceSid/Recordings` as const
  const one = `${ofAccount}/:ConferenceSid/Recordings/:Sid` as const
  const show = (recording: Parameters<Recordings['paramsOf']>[0]) =>
    recordingToWire(recording, new Map(recordings.paramsOf(recording)).get('RecordingUrl') ?? '')

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const created = readTimeRange(query, 'DateCreated')
    const { sid } = c.var.account
    const conference = await conferences.fetch(sid, c.req.param('ConferenceSid'))
    const filter = {
      conferenceSid: conference.sid,
      createdFrom: created.from,
      createdBefore: created.before,
    }
    const found = await recordings.list(sid, filter, {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
      cursor: page.cursor,
    })
    const path = `/2010-04-01/Accounts/${sid}/Conferences/${conference.sid}/Recordings`
    const facts = { ...found, first: found.items[0]?.sid }
    return c.json({
      recordings: found.items.map(show),
      ...envelope(path, query, page, facts),
    })
  })

  api.get(one, async (c) => {
    const { ConferenceSid: owner, Sid: sid } = c.req.param()
    return c.json(show(await recordings.fetch(c.var.account.sid, sid, owner)))
  })

  api.post(one, async (c) => {
    const fields = readForm(await c.req.text())
    const { Status: status } = parseForm(updateRecordingForm, fields, RECORDING_FIELD_ERRORS)
    const { ConferenceSid: owner, Sid: sid } = c.req.param()
    const event =
      status === 'paused'
        ? ({ type: 'pause', behavior: 'skip' } as const)
        : ({ type: status === 'stopped' ? 'stop' : 'resume' } as const)
    return c.json(show(await recordings.change(c.var.account.sid, owner, sid, event)))
  })

  api.delete(one, async (c) => {
    const { ConferenceSid: owner, Sid: sid } = c.req.param()
    await recordings.remove(c.var.account.sid, sid, owner)
    return c.body(null, 204)
  })
}
