/** The Conferences resource: form, operations and wire form. */
import { z } from '@hono/zod-openapi'
import { lastIn } from '../../platform/api/repeated.js'
import type { ConferenceRecord } from '../conferences/conference-record.js'
import type { Conferences } from '../conferences/conferences.js'
import type { ConferenceFilter } from '../conferences/list-conferences.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { readTimeRange } from './dialect/date-filter.js'
import { ApiError } from './dialect/errors.js'
import { httpMethod, httpUrl, oneOf, queryText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'

const CONFERENCES = '/Accounts/{AccountSid}/Conferences'
const CONFERENCE = `${CONFERENCES}/{Sid}`
const params = { Sid: sid('CF', 'conference') }
/** The region that every conference reports. */
const REGION = 'us1'

const updateConferenceForm = z
  .object({
    Status: oneOf(['completed']),
    AnnounceUrl: httpUrl(),
    AnnounceMethod: httpMethod(),
  })
  .openapi('UpdateConference')

const conferenceResource = z
  .object({
    sid: said('The sid of the conference: CF and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    friendly_name: said('The name that markup dials.'),
    status: z
      .enum(['init', 'in-progress', 'completed'])
      .openapi({ description: 'Whether it has begun, and ended.' }),
    region: said('Where it is mixed.'),
    reason_conference_ended: said('Why it ended, once it has.').nullable(),
    call_sid_ending_conference: said('The sid of the call that ended it, if one did.').nullable(),
    api_version: said('The version of the API.'),
    date_created: said('When it was made, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('Conference')

const listQuery = z.object({
  FriendlyName: queryText('Only conferences of this name.'),
  Status: queryText('Only conferences of this status.'),
  DateCreated: queryText('Only conferences made on this day, or in this second.'),
  'DateCreated<': queryText('Only conferences made before.'),
  'DateCreated>': queryText('Only conferences made after.'),
  DateUpdated: queryText('Only conferences that changed last on this day, or in this second.'),
  'DateUpdated<': queryText('Only conferences that changed last before.'),
  'DateUpdated>': queryText('Only conferences that changed last after.'),
})

export function conferenceOperations(conferences: Conferences): VoiceOperation[] {
  return [
    list({
      id: 'listConferences',
      summary: 'List conferences, the newest first',
      path: CONFERENCES,
      name: 'conferences',
      record: conferenceResource,
      query: listQuery,
      run: async ({ caller, http }, page) => {
        const found = await conferences.list(caller.sid, filterOf(http.search), page)
        return {
          ...found,
          items: found.items.map(conferenceToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Conferences`,
        }
      },
    }),
    operation({
      id: 'fetchConference',
      summary: 'Get a conference',
      method: 'get',
      path: CONFERENCE,
      params,
      response: conferenceResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        conferenceToWire(await conferences.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateConference',
      summary: 'End a conference, or announce something to all in it',
      method: 'post',
      path: CONFERENCE,
      params,
      body: updateConferenceForm,
      fieldErrors: { AnnounceUrl: { invalid: 21402 }, AnnounceMethod: { invalid: 21403 } },
      response: conferenceResource,
      errors: [404, 503],
      runsAt: ({ caller, params: { Sid } }) => conferences.otherNodeOf(caller.sid, Sid),
      run: async ({ caller, params: { Sid }, body }) => {
        const { Status: status, AnnounceUrl: url, AnnounceMethod: method = 'POST' } = body
        if (status !== undefined) return conferenceToWire(await conferences.end(caller.sid, Sid))
        if (url !== undefined)
          await conferences.announce(caller.sid, Sid, { url, method }, undefined)
        return conferenceToWire(await conferences.fetch(caller.sid, Sid))
      },
    }),
  ]
}

function filterOf(query: URLSearchParams): ConferenceFilter {
  const created = readTimeRange(query, 'DateCreated')
  const updated = readTimeRange(query, 'DateUpdated')
  return {
    friendlyName: lastIn(query, 'FriendlyName'),
    status: readStatus(lastIn(query, 'Status') ?? ''),
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

function conferenceToWire(conference: ConferenceRecord): z.infer<typeof conferenceResource> {
  const { sid, accountSid, status, end } = conference
  const path = `/${API_VERSION}/Accounts/${accountSid}/Conferences/${sid}`
  return {
    sid,
    account_sid: accountSid,
    friendly_name: conference.friendlyName,
    status,
    region: REGION,
    reason_conference_ended: status === 'completed' ? (end?.reason ?? null) : null,
    call_sid_ending_conference: status === 'completed' ? (end?.callSid ?? null) : null,
    api_version: API_VERSION,
    date_created: rfc2822(new Date(conference.createdAt)),
    date_updated: rfc2822(new Date(conference.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: {
      participants: `${path}/Participants.json`,
      recordings: `${path}/Recordings.json`,
    },
  }
}
