/**
 * Adds a participant to a conference: places an outbound call whose document is one Dial to that
 * conference.
 */
import type { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { Logger } from '../../platform/log.js'
import type { Vault } from '../../platform/secrets.js'
import type { Calls } from '../calls/calls.js'
import type { Conferences } from '../conferences/conferences.js'
import type { ParticipantView } from '../conferences/participant-view.js'
import type { CallRecord } from '../model/call-record.js'
import { isConferenceName, MAX_CONFERENCE_NAME } from '../model/conference-name.js'
import { planOf } from './call-plan-of-form.js'
import { ApiError } from './dialect/errors.js'
import type { createParticipantForm } from './participant-schemas.js'

type Form = z.infer<typeof createParticipantForm>

export interface InviteDeps {
  readonly calls: Calls
  readonly conferences: Conferences
  readonly vault: Vault
  readonly log: Logger
}

const MAX_PARTICIPANTS = 250

/** Returns the room name in a path, with its white space normalized; a sid stays the same. */
export function nameOfRoom(room: string): string {
  return room.replace(/\s+/g, ' ').trim()
}

/** Places the call. `room` is the sid or the name of a conference; a missing name creates one. */
export async function inviteParticipant(
  account: Account,
  room: string,
  form: Form,
  { calls, conferences, vault, log }: InviteDeps,
): Promise<ParticipantView> {
  const name = nameOfRoom(room)
  if (!isConferenceName(name))
    throw new ApiError(
      400,
      13237,
      `The name of a conference has 1 to ${MAX_CONFERENCE_NAME} characters, none of them a control character`,
    )
  if (form.Coaching === true && form.CallSidToCoach === undefined)
    throw new ApiError(400, 13240, "'CallSidToCoach' is missing: who is to be coached")
  const invitation = await conferences.invite(account.sid, name, {
    label: form.Label,
    maxParticipants: form.MaxParticipants ?? MAX_PARTICIPANTS,
    coach: form.Coaching === false ? undefined : form.CallSidToCoach,
    statusCallback: statusCallbackOf(form),
  })
  const withdraw = () => {
    invitation.withdraw().catch((err: unknown) => {
      log.error({ err, room: name }, 'could not withdraw an invitation to a conference')
    })
  }
  try {
    const Twiml = conferenceMarkup(invitation.conference.friendlyName, form)
    const plan = planOf({ ...callFormOf(form), Twiml }, undefined, vault)
    const call = await calls.create(account, { to: form.To, from: form.From, plan })
    const participant = await invitation.accept(invitedCall(call, form, calls, log))
    calls.whenEnded(call.sid, withdraw)
    return participant
  } catch (error) {
    withdraw()
    throw error
  }
}

function statusCallbackOf(form: Form) {
  const url = form.ConferenceStatusCallback
  if (url === undefined) return undefined
  const events = form.ConferenceStatusCallbackEvent ?? []
  return {
    url,
    method: form.ConferenceStatusCallbackMethod ?? 'POST',
    events: events.length === 0 ? (['start', 'end'] as const) : events,
  }
}

function callFormOf(form: Form) {
  const { AmdStatusCallback: url, AmdStatusCallbackMethod: method } = form
  return {
    ...form,
    ...(url === undefined ? {} : { AsyncAmdStatusCallback: url }),
    ...(method === undefined ? {} : { AsyncAmdStatusCallbackMethod: method }),
  }
}

function invitedCall(call: CallRecord, form: Form, calls: Calls, log: Logger) {
  const { sid, accountSid } = call
  return {
    facts: {
      callSid: sid,
      label: form.Label,
      isMuted: form.Muted ?? false,
      isHeld: false,
      coach: form.Coaching === false ? undefined : form.CallSidToCoach,
      endOnExit: form.EndConferenceOnExit ?? false,
      startOnEnter: form.StartConferenceOnEnter ?? true,
    },
    createdAt: call.createdAt,
    status: async () => (await calls.fetch(accountSid, sid)).status,
    hangUp: () => {
      calls.update(accountSid, sid, { end: 'completed' }).catch((err: unknown) => {
        log.error({ err, callSid: sid }, 'could not hang up a participant')
      })
    },
  }
}

/** Maximum length of an inline document, in characters. */
const MAX_LENGTH = 4_000

/** Returns the document of a call that joins a conference. */
function conferenceMarkup(name: string, form: Form): string {
  const attributes = Object.entries(attributesOf(form))
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(String(value))}"`]))
    .join('')
  const noun = `<Conference${attributes}>${escaped(name)}</Conference>`
  const markup = `<Response><Dial>${noun}</Dial></Response>`
  if (markup.length <= MAX_LENGTH) return markup
  throw new ApiError(400, 20422, 'The URLs of a participant are too long, taken together')
}

function attributesOf(form: Form): Readonly<Record<string, string | number | boolean | undefined>> {
  return {
    muted: form.Muted,
    beep: form.Beep,
    startConferenceOnEnter: form.StartConferenceOnEnter,
    endConferenceOnExit: form.EndConferenceOnExit,
    participantLabel: form.Label,
    coach: form.Coaching === false ? undefined : form.CallSidToCoach,
    waitUrl: form.WaitUrl,
    waitMethod: form.WaitMethod,
    maxParticipants: form.MaxParticipants,
    record: form.ConferenceRecord,
    trim: form.ConferenceTrim,
    recordingStatusCallback: form.ConferenceRecordingStatusCallback,
    recordingStatusCallbackMethod: form.ConferenceRecordingStatusCallbackMethod,
    recordingStatusCallbackEvent: form.ConferenceRecordingStatusCallbackEvent?.join(' '),
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0) ?? 0};`)
}
