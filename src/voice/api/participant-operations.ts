/**
 * The Participants resource of a conference. A path names a participant by call sid or by label.
 */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { BodilessRequest } from '../../platform/api/operation.js'
import { lastIn } from '../../platform/api/repeated.js'
import type { ParticipantChange } from '../conferences/participant-settings.js'
import type { ParticipantView } from '../conferences/participant-view.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { ApiError } from './dialect/errors.js'
import { queryText } from './dialect/form.js'
import { list, operation, type VoiceOperation } from './dialect/operation.js'
import { newestFirst, pageOfAll } from './dialect/voice-paging.js'
import { type InviteDeps, inviteParticipant, nameOfRoom } from './invite-participant.js'
import {
  createParticipantForm,
  PARTICIPANT_FIELD_ERRORS,
  participantResource,
  updateParticipantForm,
} from './participant-schemas.js'

const PARTICIPANTS = '/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants'
const PARTICIPANT = `${PARTICIPANTS}/{CallSid}`
const params = {
  CallSid: z.string().openapi({ description: 'The sid of the call, or the label it was given.' }),
}

const listQuery = z.object({
  Muted: queryText('true: only participants who are muted; false: only others.'),
  Hold: queryText('true: only participants who are on hold; false: only others.'),
  Coaching: queryText('true: only participants who coach another; false: only others.'),
})

type OfConference = BodilessRequest<Account, Readonly<Record<'ConferenceSid', string>>>

export function participantOperations(deps: InviteDeps): VoiceOperation[] {
  return [...participantsOfConference(deps), ...oneParticipant(deps)]
}

function participantsOfConference(deps: InviteDeps): VoiceOperation[] {
  const { conferences } = deps
  const runsAt = ({ caller, params: { ConferenceSid: room } }: OfConference) =>
    conferences.otherNodeOf(caller.sid, nameOfRoom(room))
  return [
    list({
      id: 'listParticipants',
      summary: 'List the participants of a conference, the newest first',
      path: PARTICIPANTS,
      name: 'participants',
      record: participantResource,
      query: listQuery,
      errors: [404, 503],
      runsAt,
      run: async ({ caller, params: { ConferenceSid: room }, http }, page) => {
        const isWanted = filterOf(http.search)
        const all = (await conferences.participants(caller.sid, room)).filter(isWanted)
        const { items, ...rest } = pageOfAll(all, page, positionOfCall, newestFirst)
        const path = `/${API_VERSION}/Accounts/${caller.sid}/Conferences/${room}/Participants`
        return { ...rest, items: items.map(participantToWire), path }
      },
    }),
    operation({
      id: 'createParticipant',
      summary: 'Call a participant into a conference',
      description: '`EarlyMedia`, `Region` and `JitterBufferSize` are accepted and have no effect.',
      method: 'post',
      path: PARTICIPANTS,
      params: {
        ConferenceSid: z.string().openapi({
          description: 'The sid of a conference, or the name of one, which is made if need be.',
        }),
      },
      body: createParticipantForm,
      fieldErrors: PARTICIPANT_FIELD_ERRORS,
      status: 201,
      response: participantResource,
      errors: [503],
      makesTarget: true,
      runsAt,
      run: async ({ caller, params: { ConferenceSid: room }, body }) =>
        participantToWire(await inviteParticipant(caller, room, body, deps)),
    }),
  ]
}

function oneParticipant({ conferences }: InviteDeps): VoiceOperation[] {
  const runsAt = ({ caller, params: { ConferenceSid: room } }: OfConference) =>
    conferences.otherNodeOf(caller.sid, room)
  return [
    operation({
      id: 'fetchParticipant',
      summary: 'Get a participant',
      method: 'get',
      path: PARTICIPANT,
      params,
      response: participantResource,
      errors: [404, 503],
      runsAt,
      run: async ({ caller, params: { ConferenceSid: room, CallSid: name } }) =>
        participantToWire(await conferences.participant(caller.sid, room, name)),
    }),
    operation({
      id: 'updateParticipant',
      summary: 'Mute, hold, coach or address a participant',
      method: 'post',
      path: PARTICIPANT,
      params,
      body: updateParticipantForm,
      fieldErrors: PARTICIPANT_FIELD_ERRORS,
      response: participantResource,
      errors: [404, 503],
      runsAt,
      run: async ({ caller, params: { ConferenceSid: room, CallSid: name }, body }) => {
        const changed = await conferences.change(caller.sid, room, name, changeOf(body))
        const { AnnounceUrl: url, AnnounceMethod: method = 'POST' } = body
        if (url !== undefined) await conferences.announce(caller.sid, room, { url, method }, name)
        return participantToWire(changed)
      },
    }),
    operation({
      id: 'removeParticipant',
      summary: 'Take a participant out of a conference',
      method: 'delete',
      path: PARTICIPANT,
      params,
      errors: [404, 503],
      runsAt,
      run: ({ caller, params: { ConferenceSid: room, CallSid: name } }) =>
        conferences.remove(caller.sid, room, name),
    }),
  ]
}

function changeOf(form: z.infer<typeof updateParticipantForm>): ParticipantChange {
  const { Hold: hold, WaitUrl: waitUrl } = form
  const music = { url: form.HoldUrl, method: form.HoldMethod ?? 'GET' }
  const coach = coachOf(form)
  return {
    ...(form.Muted === undefined ? {} : { isMuted: form.Muted }),
    ...(hold === undefined ? {} : { hold: hold ? music : 'none' }),
    ...(waitUrl === undefined
      ? {}
      : { waiting: { url: waitUrl, method: form.WaitMethod ?? 'POST' } }),
    ...(form.BeepOnExit === undefined ? {} : { beepsOnExit: form.BeepOnExit }),
    ...(form.EndConferenceOnExit === undefined ? {} : { endOnExit: form.EndConferenceOnExit }),
    ...(coach === undefined ? {} : { coach }),
  }
}

/**
 * Returns the coaching change in a form. `CallSidToCoach` alone starts coaching; `Coaching=false`
 * ends it.
 */
function coachOf(form: z.infer<typeof updateParticipantForm>): ParticipantChange['coach'] {
  const { Coaching: isCoaching, CallSidToCoach: coached } = form
  if (isCoaching === false) return { callSid: undefined }
  if (isCoaching === true && coached === undefined)
    throw new ApiError(400, 13240, "'CallSidToCoach' is missing: who is to be coached")
  return coached === undefined ? undefined : { callSid: coached }
}

function filterOf(query: URLSearchParams): (participant: ParticipantView) => boolean {
  const wanted = (name: string): boolean | undefined => {
    const value = lastIn(query, name)?.toLowerCase() ?? ''
    if (value === '') return undefined
    if (value === 'true' || value === 'false') return value === 'true'
    throw new ApiError(400, 20422, `'${name}' is not valid: must be true or false`)
  }
  const [muted, hold, coaching] = [wanted('Muted'), wanted('Hold'), wanted('Coaching')]
  return ({ isMuted, isHeld, coach }) =>
    isMuted === (muted ?? isMuted) &&
    isHeld === (hold ?? isHeld) &&
    (coach !== undefined) === (coaching ?? coach !== undefined)
}

function participantToWire(participant: ParticipantView): z.infer<typeof participantResource> {
  const { accountSid, conferenceSid, callSid, coach } = participant
  const path = `/${API_VERSION}/Accounts/${accountSid}/Conferences/${conferenceSid}`
  return {
    account_sid: accountSid,
    call_sid: callSid,
    conference_sid: conferenceSid,
    label: participant.label ?? null,
    status: participant.status,
    muted: participant.isMuted,
    hold: participant.isHeld,
    coaching: coach !== undefined,
    call_sid_to_coach: coach ?? null,
    start_conference_on_enter: participant.startOnEnter,
    end_conference_on_exit: participant.endOnExit,
    queue_time: null,
    date_created: rfc2822(new Date(participant.createdAt)),
    date_updated: rfc2822(new Date(participant.updatedAt)),
    uri: `${path}/Participants/${callSid}.json`,
  }
}

function positionOfCall({ createdAt: at, callSid: sid }: ParticipantView) {
  return { at, sid }
}
