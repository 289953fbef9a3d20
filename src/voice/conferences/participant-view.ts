import type { CallStatus } from '../model/call-record.js'
import type { ParticipantFacts } from './conference-callbacks.js'
import type { ConferenceRecord } from './conference-record.js'
import type { Participant } from './participant.js'

/** A participant as the API shows it; times are epoch milliseconds. */
export interface ParticipantView extends ParticipantFacts {
  readonly accountSid: string
  readonly conferenceSid: string
  readonly status: 'queued' | 'connecting' | 'ringing' | 'connected' | 'complete' | 'failed'
  readonly createdAt: number
  readonly updatedAt: number
}

export function viewOf(
  { facts, joinedAt, updatedAt }: Participant,
  { accountSid, sid }: Pick<ConferenceRecord, 'accountSid' | 'sid'>,
): ParticipantView {
  return {
    ...facts,
    accountSid,
    conferenceSid: sid,
    status: 'connected',
    createdAt: joinedAt,
    updatedAt,
  }
}

/** Returns the participant status of a call that has not joined the room yet. */
export function statusOfInvited(status: CallStatus): ParticipantView['status'] {
  switch (status) {
    case 'queued':
    case 'ringing':
      return status
    case 'in-progress':
      return 'connecting'
    case 'completed':
      return 'complete'
    case 'busy':
    case 'failed':
    case 'no-answer':
    case 'canceled':
      return 'failed'
  }
}
