/** The parameters of a room's status callbacks, in wire names. Pure. */
import type { CallStatus } from '../model/call-record.js'
import type { WireParams } from '../model/callback-params.js'
import type { EndReason, LeaveReason, RoomEnd } from './room-machine.js'

export type ConferenceNews =
  | { readonly type: 'start' }
  | { readonly type: 'end'; readonly end: RoomEnd }
  | { readonly type: ParticipantEvent; readonly participant: ParticipantFacts }
  | LeaveNews
  | AnnouncementNews

export type ParticipantEvent =
  | 'join'
  | 'mute'
  | 'unmute'
  | 'hold'
  | 'unhold'
  | 'modify'
  | 'speech-start'
  | 'speech-stop'

/** A participant left, or an invited call never joined. */
export interface LeaveNews {
  readonly type: 'leave'
  readonly participant: ParticipantFacts
  readonly reason: LeaveReason
  /** The status of the participant's call, which may continue outside the room. */
  readonly callStatus: CallStatus
}

export interface AnnouncementNews {
  readonly type: 'announcement-begin' | 'announcement-end' | 'announcement-fail'
  readonly url: string
  /** The only participant that hears it; undefined for an announcement to all. */
  readonly participant: ParticipantFacts | undefined
  /** The reason of a failure. */
  readonly reason?: string
}

export interface ParticipantFacts {
  readonly callSid: string
  readonly label: string | undefined
  readonly isMuted: boolean
  readonly isHeld: boolean
  readonly coach: string | undefined
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
}

/** Returns the word of statusCallbackEvent that subscribes to this event. */
export function subscriptionOf({ type }: ConferenceNews): string {
  if (type === 'unmute') return 'mute'
  if (type.startsWith('announcement')) return 'announcement'
  if (type.startsWith('speech')) return 'speaker'
  return type === 'unhold' ? 'hold' : type
}

export function newsParams(news: ConferenceNews): WireParams {
  switch (news.type) {
    case 'start':
      return [['StatusCallbackEvent', 'conference-start']]
    case 'end':
      return endParams(news.end)
    case 'announcement-begin':
    case 'announcement-end':
    case 'announcement-fail':
      return announcementParams(news)
    case 'leave':
      return [
        ['StatusCallbackEvent', 'participant-leave'],
        ...participantParams(news.participant),
        ['ParticipantCallStatus', news.callStatus],
        ['ReasonParticipantLeft', news.reason],
      ]
    default:
      return [
        ['StatusCallbackEvent', `participant-${news.type}`],
        ...participantParams(news.participant),
      ]
  }
}

function participantParams(participant: ParticipantFacts): WireParams {
  return [
    ['CallSid', participant.callSid],
    ...optional('ParticipantLabel', participant.label),
    ['Muted', String(participant.isMuted)],
    ['Hold', String(participant.isHeld)],
    ['Coaching', String(participant.coach !== undefined)],
    ...optional('CallSidToCoach', participant.coach),
    ['StartConferenceOnEnter', String(participant.startOnEnter)],
    ['EndConferenceOnExit', String(participant.endOnExit)],
  ]
}

function announcementParams({ type, url, participant, reason }: AnnouncementNews): WireParams {
  return [
    ['StatusCallbackEvent', type],
    ['AnnounceUrl', url],
    ...(participant === undefined ? [] : participantParams(participant)),
    ...optional('ReasonAnnouncementFailed', reason),
  ]
}

const REASONS: Readonly<Record<EndReason, string>> = {
  'conference-ended-via-api': 'The conference was ended by the API.',
  'participant-with-end-conference-on-exit-left':
    'A participant with endConferenceOnExit left the conference.',
  'participant-with-end-conference-on-exit-kicked':
    'A participant with endConferenceOnExit was removed from the conference.',
  'last-participant-left': 'The last participant left the conference.',
  'last-participant-kicked': 'The last participant was removed from the conference.',
}

function endParams({ reason, callSid, label }: RoomEnd): WireParams {
  return [
    ['StatusCallbackEvent', 'conference-end'],
    ['ReasonConferenceEnded', reason],
    ['Reason', REASONS[reason]],
    ...optional('CallSidEndingConference', callSid),
    ...optional('ParticipantLabelEndingConference', label),
  ]
}

function optional(name: string, value: string | undefined): WireParams {
  return value === undefined ? [] : [[name, value]]
}
