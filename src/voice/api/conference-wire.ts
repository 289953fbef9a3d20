/** Conferences and participants in the convention's names and formats. */
import type { z } from '@hono/zod-openapi'
import type { ConferenceRecord } from '../conferences/conference-record.js'
import type { ParticipantView } from '../conferences/participant-view.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { conferenceResource, participantResource } from './conference-schemas.js'

/** There is one here. */
const REGION = 'us1'

export function conferenceToWire(conference: ConferenceRecord): z.infer<typeof conferenceResource> {
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

export function participantToWire(
  participant: ParticipantView,
): z.infer<typeof participantResource> {
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
