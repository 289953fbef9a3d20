/** The Recordings resource of calls, conferences and the account: operations. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import type { ListPage } from '../../platform/api/list-operation.js'
import type { BodilessRequest, RawAnswer } from '../../platform/api/operation.js'
import { parseSid } from '../../platform/ids.js'
import type { Calls } from '../calls/calls.js'
import type { Conferences } from '../conferences/conferences.js'
import { API_VERSION } from '../model/callback-params.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { RecordingFilter } from '../recordings/list-recordings.js'
import { NotEligibleForRecordingError } from '../recordings/recording-errors.js'
import type { RecorderEvent } from '../recordings/recording-machine.js'
import type { Recordings } from '../recordings/recordings.js'
import { CALLS } from './call-operations.js'
import { readTimeRange } from './dialect/date-filter.js'
import { ApiError } from './dialect/errors.js'
import { queryText } from './dialect/form.js'
import { list, operation, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'
import { fetchOwned, sendRecordingMedia, show } from './recording-media.js'
import {
  RECORDING_FIELD_ERRORS,
  recordingResource,
  startRecordingForm,
  updateRecordingForm,
} from './recording-schemas.js'

const OF_CALL = `${CALLS}/{CallSid}/Recordings` as const
const OF_CONFERENCE = '/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Recordings'
const OF_ACCOUNT = '/Accounts/{AccountSid}/Recordings'
const params = { Sid: sid('RE', 'recording') }

const media: RawAnswer = {
  mediaTypes: ['application/json', 'application/xml', 'audio/x-wav', 'audio/mpeg'],
  description: 'The resource or its sound, as the suffix of the path says.',
  resource: recordingResource,
  further: {
    206: {
      mediaTypes: ['audio/x-wav', 'audio/mpeg'],
      description: 'The part of the sound that `Range` asks for.',
    },
    304: { mediaTypes: [], description: 'The sound is the one that `If-None-Match` names.' },
    416: { mediaTypes: [], description: 'The sound is shorter: `Content-Range` says its length.' },
  },
}
const SOUND = 'The resource as `.json` or `.xml`; its sound as `.wav` or `.mp3`, in ranges.'
const mediaQuery = z.object({
  RequestedChannels: queryText('1 or 2: how many channels the sound has.'),
})

interface RecordingDeps {
  readonly calls: Calls
  readonly conferences: Conferences
  readonly recordings: Recordings
}

type OfCall = BodilessRequest<Account, Readonly<Record<'CallSid', string>>>
type OfConference = BodilessRequest<Account, Readonly<Record<'ConferenceSid', string>>>

/** Filters that every list of recordings accepts. */
const listQuery = z.object({
  DateCreated: queryText('Only recordings made on this day, or in this second.'),
  'DateCreated<': queryText('Only recordings made before.'),
  'DateCreated>': queryText('Only recordings made after.'),
})

interface Where {
  readonly account: string
  /** The path below the account. */
  readonly path: string
}

export function recordingOperations(deps: RecordingDeps): VoiceOperation[] {
  return [
    ...recordingsOfCall(deps),
    ...oneOfCall(deps),
    ...recordingsOfConference(deps),
    ...oneOfConference(deps),
    ...recordingsOfAccount(deps),
  ]
}

function recordingsOfCall({ calls, recordings }: RecordingDeps): VoiceOperation[] {
  return [
    operation({
      id: 'startRecording',
      summary: 'Record a call',
      description: '`PlayBeep` is accepted and has no effect.',
      method: 'post',
      path: OF_CALL,
      beforeBody: ({ caller, params: { CallSid } }) => calls.fetch(caller.sid, CallSid),
      body: startRecordingForm,
      fieldErrors: RECORDING_FIELD_ERRORS,
      status: 201,
      response: recordingResource,
      errors: [404, 503],
      runsAt: ({ caller, params: { CallSid } }) => calls.otherNodeOf(caller.sid, CallSid),
      run: async ({ caller, params: { CallSid }, body }) => {
        const { call, leg } = await calls.talking(caller.sid, CallSid)
        if (leg === undefined) throw new NotEligibleForRecordingError()
        return show(recordings, await recordings.startOnce(call, leg, wantedOf(body)))
      },
    }),
    list({
      id: 'listCallRecordings',
      summary: 'List the recordings of a call, the newest first',
      path: OF_CALL,
      name: 'recordings',
      record: recordingResource,
      query: listQuery,
      errors: [404],
      run: async ({ caller, params: { CallSid }, http }, page) => {
        const call = await calls.fetch(caller.sid, CallSid)
        const where = { account: caller.sid, path: `/Calls/${call.sid}/Recordings` }
        return await found(recordings, where, { callSid: call.sid }, page, http)
      },
    }),
  ]
}

function oneOfCall({ calls, recordings }: RecordingDeps): VoiceOperation[] {
  const one = `${OF_CALL}/{Sid}` as const
  const runsAt = ({ caller, params: { CallSid } }: OfCall) => calls.otherNodeOf(caller.sid, CallSid)
  return [
    operation({
      id: 'fetchCallRecording',
      summary: 'Get a recording of a call, or its sound',
      description: SOUND,
      method: 'get',
      path: one,
      params,
      query: mediaQuery,
      response: media,
      errors: [404],
      run: ({ caller, params: { CallSid, Sid }, http }) =>
        fetchOwned(recordings, caller, http, { sid: Sid, ownerSid: CallSid }),
    }),
    operation({
      id: 'updateRecording',
      summary: 'Pause, resume or stop a recording of a call',
      description: '`PauseBehavior` matters with `paused` only.',
      method: 'post',
      path: one,
      params,
      beforeBody: ({ caller, params: { CallSid, Sid } }) =>
        recordings.fetch(caller.sid, Sid, CallSid),
      body: updateRecordingForm,
      fieldErrors: RECORDING_FIELD_ERRORS,
      response: recordingResource,
      errors: [404, 503],
      runsAt,
      run: async ({ caller, params: { CallSid, Sid }, body }) =>
        show(recordings, await recordings.change(caller.sid, CallSid, Sid, eventOf(body))),
    }),
    operation({
      id: 'deleteCallRecording',
      summary: 'Delete a recording of a call',
      method: 'delete',
      path: one,
      params,
      errors: [404, 503],
      runsAt,
      run: ({ caller, params: { CallSid, Sid } }) => recordings.remove(caller.sid, Sid, CallSid),
    }),
  ]
}

function recordingsOfConference({ conferences, recordings }: RecordingDeps): VoiceOperation[] {
  return [
    list({
      id: 'listConferenceRecordings',
      summary: 'List the recordings of a conference, the newest first',
      path: OF_CONFERENCE,
      name: 'recordings',
      record: recordingResource,
      query: listQuery,
      errors: [404],
      run: async ({ caller, params: { ConferenceSid }, http }, page) => {
        const conference = await conferences.fetch(caller.sid, ConferenceSid)
        const where = { account: caller.sid, path: `/Conferences/${conference.sid}/Recordings` }
        return await found(recordings, where, { conferenceSid: conference.sid }, page, http)
      },
    }),
  ]
}

function oneOfConference({ conferences, recordings }: RecordingDeps): VoiceOperation[] {
  const one = `${OF_CONFERENCE}/{Sid}` as const
  const runsAt = ({ caller, params: { ConferenceSid } }: OfConference) =>
    conferences.otherNodeOf(caller.sid, ConferenceSid)
  return [
    operation({
      id: 'fetchConferenceRecording',
      summary: 'Get a recording of a conference, or its sound',
      description: SOUND,
      method: 'get',
      path: one,
      params,
      query: mediaQuery,
      response: media,
      errors: [404],
      run: ({ caller, params: { ConferenceSid, Sid }, http }) =>
        fetchOwned(recordings, caller, http, { sid: Sid, ownerSid: ConferenceSid }),
    }),
    operation({
      id: 'updateConferenceRecording',
      summary: 'Pause, resume or stop a recording of a conference',
      description: 'A pause is left out of the file, whatever `PauseBehavior` says.',
      method: 'post',
      path: one,
      params,
      beforeBody: ({ caller, params: { ConferenceSid, Sid } }) =>
        recordings.fetch(caller.sid, Sid, ConferenceSid),
      body: updateRecordingForm,
      fieldErrors: RECORDING_FIELD_ERRORS,
      response: recordingResource,
      errors: [404, 503],
      runsAt,
      run: async ({ caller, params: { ConferenceSid, Sid }, body }) => {
        // A paused conference recording contains no silence.
        const event = eventOf({ ...body, PauseBehavior: 'skip' })
        return show(recordings, await recordings.change(caller.sid, ConferenceSid, Sid, event))
      },
    }),
    operation({
      id: 'removeConferenceRecording',
      summary: 'Delete a recording of a conference',
      method: 'delete',
      path: one,
      params,
      errors: [404, 503],
      runsAt,
      run: ({ caller, params: { ConferenceSid, Sid } }) =>
        recordings.remove(caller.sid, Sid, ConferenceSid),
    }),
  ]
}

function recordingsOfAccount({ calls, conferences, recordings }: RecordingDeps): VoiceOperation[] {
  const one = `${OF_ACCOUNT}/{Sid}` as const
  return [
    list({
      id: 'listRecordings',
      summary: 'List the recordings of the account, the newest first',
      path: OF_ACCOUNT,
      name: 'recordings',
      record: recordingResource,
      query: listQuery.extend({
        CallSid: queryText('Only recordings of this call.'),
        ConferenceSid: queryText('Only recordings of this conference.'),
      }),
      run: ({ caller, query, http }, page) => {
        const filter = {
          callSid: sidFilter('CallSid', query.CallSid, 'CA'),
          conferenceSid: sidFilter('ConferenceSid', query.ConferenceSid, 'CF'),
        }
        const where = { account: caller.sid, path: '/Recordings' }
        return found(recordings, where, filter, page, http)
      },
    }),
    operation({
      id: 'fetchRecording',
      summary: 'Get a recording, or its sound',
      description: `${SOUND} Without a suffix: its sound as \`.wav\`.`,
      method: 'get',
      path: one,
      params,
      query: mediaQuery,
      response: media,
      errors: [404],
      run: async ({ caller, params: { Sid }, http }) => {
        const { suffix } = http
        if (suffix === 'json' || suffix === 'xml')
          return show(recordings, await recordings.fetch(caller.sid, Sid))
        const format = suffix === 'mp3' ? 'mp3' : 'wav'
        return await sendRecordingMedia(http, caller, recordings, { sid: Sid, format })
      },
    }),
    operation({
      id: 'deleteRecording',
      summary: 'Delete a recording',
      method: 'delete',
      path: one,
      params,
      errors: [404, 503],
      runsAt: async ({ caller, params: { Sid } }) => {
        const { conferenceSid, callSid } = await recordings.fetch(caller.sid, Sid)
        return conferenceSid === undefined
          ? await calls.otherNodeOf(caller.sid, callSid)
          : await conferences.otherNodeOf(caller.sid, conferenceSid)
      },
      run: ({ caller, params: { Sid } }) => recordings.remove(caller.sid, Sid),
    }),
  ]
}

/** Returns a page of the recordings below a path. */
async function found(
  recordings: Recordings,
  { account, path }: Where,
  filter: RecordingFilter,
  page: ListPage,
  { search }: ApiRequest,
) {
  const created = readTimeRange(search, 'DateCreated')
  const wanted = { ...filter, createdFrom: created.from, createdBefore: created.before }
  const listed = await recordings.list(account, wanted, page)
  return {
    ...listed,
    items: listed.items.map((each) => show(recordings, each)),
    first: positionOf(listed.items[0]),
    path: `/${API_VERSION}/Accounts/${account}${path}`,
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

function sidFilter(name: string, value: string | undefined, prefix: string): string | undefined {
  if (value === undefined || value === '') return undefined
  const sid = parseSid(prefix, value)
  if (sid !== undefined) return sid
  throw new ApiError(400, 20422, `'${name}' is not valid: must be ${prefix} and 32 hex digits`)
}
