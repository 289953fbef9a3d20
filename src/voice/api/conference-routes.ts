import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Conferences } from '../conferences/conferences.js'
import type { ConferenceFilter } from '../conferences/list-conferences.js'
import { documentConferences } from './conference-openapi.js'
import {
  CONFERENCE_FIELD_ERRORS,
  CONFERENCES,
  conferenceResource,
  updateConferenceForm,
} from './conference-schemas.js'
import { conferenceToWire } from './conference-wire.js'
import { readTimeRange } from './date-filter.js'
import { ApiError } from './errors.js'
import { parseForm, readForm } from './form.js'
import { envelope, readPage } from './paging.js'
import type { VoiceEnv } from './voice-env.js'

/** The Conferences resource: GET of the list, GET and POST of one; Dial and Participants make them. */
export function addConferenceRoutes(
  api: OpenAPIHono<VoiceEnv>,
  { conferences }: { readonly conferences: Conferences },
): void {
  documentConferences(api)
  const list = CONFERENCES.replace('{AccountSid}', ':AccountSid')

  api.get(list, async (c) => {
    const query = new URL(c.req.url).searchParams
    const page = readPage(query)
    const { sid } = c.var.account
    const found = await conferences.list(sid, filterOf(query), {
      offset: page.page * page.pageSize,
      limit: page.pageSize,
      cursor: page.cursor,
    })
    const facts = { ...found, first: found.items[0]?.sid }
    const path = list.replace(':AccountSid', sid)
    return c.json({
      conferences: found.items.map(conferenceToWire),
      ...envelope(path, query, page, facts),
    })
  })

  api.get(`${list}/:Sid`, async (c) =>
    c.json(conferenceToWire(await conferences.fetch(c.var.account.sid, c.req.param('Sid')))),
  )

  api.post(`${list}/:Sid`, async (c) => {
    const form = parseForm(
      updateConferenceForm,
      readForm(await c.req.text()),
      CONFERENCE_FIELD_ERRORS,
    )
    const [accountSid, sid] = [c.var.account.sid, c.req.param('Sid')]
    const { AnnounceUrl: url, AnnounceMethod: method = 'POST' } = form
    if (url !== undefined && form.Status === undefined)
      await conferences.announce(accountSid, sid, { url, method }, undefined)
    const shown =
      form.Status === undefined
        ? await conferences.fetch(accountSid, sid)
        : await conferences.end(accountSid, sid)
    return c.json(conferenceToWire(shown))
  })
}

function filterOf(query: URLSearchParams): ConferenceFilter {
  const created = readTimeRange(query, 'DateCreated')
  const updated = readTimeRange(query, 'DateUpdated')
  return {
    friendlyName: query.get('FriendlyName') ?? undefined,
    status: readStatus(query.get('Status') ?? ''),
    createdFrom: created.from,
    createdBefore: created.before,
    updatedFrom: updated.from,
    updatedBefore: updated.before,
  }
}

function readStatus(status: string): ConferenceFilter['status'] {
  if (status === '') return undefined
  const known = conferenceResource.shape.status.safeParse(status)
  if (known.success) return known.data
  throw new ApiError(400, 20422, "'Status' is not valid: not a conference status")
}
