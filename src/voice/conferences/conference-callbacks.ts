/** What a room's status callbacks carry, in the convention's names. Pure. */
import type { EndReason, RoomEnd } from './room-machine.js'

export type ConferenceNews =
  | { readonly type: 'start' }
  | { readonly type: 'end'; readonly end: RoomEnd }
  | {
      readonly type: ParticipantEvent
      readonly participant: ParticipantFacts
    }
  | AnnouncementNews

type ParticipantEvent =
  | 'join'
  | 'leave'
  | 'mute'
  | 'unmute'
  | 'hold'
  | 'unhold'
  | 'modify'
  | 'speech-start'
  | 'speech-stop'

export interface AnnouncementNews {
  readonly type: 'announcement-begin' | 'announcement-end' | 'announcement-fail'
  readonly url: string
  /** The only call that hears it; undefined: all do. */
  readonly callSid: string | undefined
  /** Why it failed; undefined unless it did. */
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

/** What an application subscribes to; `mute` is for its opposite as well. */
export function subscriptionOf({ type }: ConferenceNews): string {
  if (type === 'unmute') return 'mute'
  if (type.startsWith('announcement')) return 'announcement'
  if (type.startsWith('speech')) return 'speaker'
  return type === 'unhold' ? 'hold' : type
}

export function newsParams(news: ConferenceNews): readonly (readonly [string, string])[] {
  if (news.type === 'start') return [['StatusCallbackEvent', 'conference-start']]
  if (news.type === 'end') return endParams(news.end)
  if (!('participant' in news)) return announcementParams(news)
  const { participant } = news
  return [
    ['StatusCallbackEvent', `participant-${news.type}`],
    ['CallSid', participant.callSid],
    ...(participant.label === undefined ? [] : [['ParticipantLabel', participant.label] as const]),
    ['Muted', String(participant.isMuted)],
    ['Hold', String(participant.isHeld)],
    ['Coaching', String(participant.coach !== undefined)],
    ...(participant.coach === undefined ? [] : [['CallSidToCoach', participant.coach] as const]),
    ['StartConferenceOnEnter', String(participant.startOnEnter)],
    ['EndConferenceOnExit', String(participant.endOnExit)],
  ]
}

function announcementParams({
  type,
  url,
  callSid,
  reason,
}: AnnouncementNews): readonly (readonly [string, string])[] {
  return [
    ['StatusCallbackEvent', type],
    ['AnnounceUrl', url],
    ...(callSid === undefined ? [] : [['CallSid', callSid] as const]),
    ...(reason === undefined ? [] : [['ReasonAnnouncementFailed', reason] as const]),
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

function endParams({ reason, callSid }: RoomEnd): readonly (readonly [string, string])[] {
  return [
    ['StatusCallbackEvent', 'conference-end'],
    ['ReasonConferenceEnded', reason],
    ['Reason', REASONS[reason]],
    ...(callSid === undefined ? [] : [['CallSidEndingConference', callSid] as const]),
  ]
}
