/**
 * The life of one room.
 *
 *   init ──two members, one of whom starts it──▶ in-progress
 *     │                                              │
 *     └── end requested, the last one or one with endOnExit leaves ──┐
 *                                                                    ▼
 *                         completed ◀──nobody is left──── ending (members are released)
 *
 * A room that was made for an invited call is completed at once when that call never comes. Pure: an
 * event that means nothing in the current state is absorbed.
 */
import { enter, type Step, stay } from '../../platform/step.js'

export interface RoomMember {
  readonly callSid: string
  readonly label: string | undefined
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
}

export type EndReason =
  | 'conference-ended-via-api'
  | 'participant-with-end-conference-on-exit-left'
  | 'participant-with-end-conference-on-exit-kicked'
  | 'last-participant-left'
  | 'last-participant-kicked'

export interface RoomEnd {
  readonly reason: EndReason
  /** The call whose departure ended the room; undefined when the API ended it. */
  readonly callSid: string | undefined
  /** The participant label of that call; it is not stored. */
  readonly label: string | undefined
}

/** Why a member left the room, by its wire name. */
export type LeaveReason =
  | 'conference_ended_via_api'
  | 'moderator_ended_conference'
  | 'participant_updated_via_api'
  | 'participant_hung_up'
  | 'participant_add_failed'

/** How a member left. `kicked`: the API removed it. `redirected`: the API gave its call another document. */
export type LeaveManner = 'left' | 'kicked' | 'redirected'

export type Room =
  /** The members wait for the start. */
  | { readonly state: 'init'; readonly members: readonly RoomMember[] }
  /** The members hear each other. */
  | { readonly state: 'in-progress'; readonly members: readonly RoomMember[] }
  /** The room accepts no more members, and its members leave. */
  | { readonly state: 'ending'; readonly members: readonly RoomMember[]; readonly end: RoomEnd }
  /** The room has ended; `end` is undefined for a room that never had a member. */
  | {
      readonly state: 'completed'
      readonly members: readonly []
      readonly end: RoomEnd | undefined
    }

export type RoomEvent =
  | { readonly type: 'entered'; readonly member: RoomMember }
  | { readonly type: 'left'; readonly callSid: string; readonly how: LeaveManner }
  | { readonly type: 'changed'; readonly callSid: string; readonly endOnExit: boolean }
  | { readonly type: 'end-requested' }
  /** A call was made that will join the room. */
  | { readonly type: 'call-expected' }
  /** No invited call will join the room any more. */
  | { readonly type: 'nobody-expected' }
  /** An event is reported that does not change the members, such as an announcement. */
  | { readonly type: 'reported' }

export type RoomEffect =
  | { readonly type: 'joined'; readonly callSid: string }
  | { readonly type: 'gone'; readonly callSid: string; readonly reason: LeaveReason }
  | { readonly type: 'started' }
  /** Makes every member leave. */
  | { readonly type: 'release' }
  | { readonly type: 'ended'; readonly end: RoomEnd }

type RoomStep = Step<Room, RoomEffect>

export const EMPTY_ROOM: Room = { state: 'init', members: [] }

export function stepRoom(room: Room, event: RoomEvent): RoomStep {
  switch (event.type) {
    case 'entered':
      return entered(room, event.member)
    case 'left':
      return left(room, event.callSid, event.how)
    case 'changed':
      return stay(changed(room, event.callSid, event.endOnExit))
    case 'call-expected':
    case 'reported':
      return stay(room)
    case 'nobody-expected':
      return stay(withNobodyExpected(room))
    case 'end-requested':
      return isOpen(room)
        ? ending(room.members, { reason: 'conference-ended-via-api', ...NOBODY }, true)
        : stay(room)
  }
}

/** True while calls may join the room. */
export function isOpen({ state }: Room): boolean {
  return state === 'init' || state === 'in-progress'
}

/** Returns why a call is not in the room; `manner` is undefined for a call that never joined. */
export function leaveReason(room: Room, manner: LeaveManner | undefined): LeaveReason {
  if (room.state === 'ending')
    return room.end.reason === 'conference-ended-via-api'
      ? 'conference_ended_via_api'
      : 'moderator_ended_conference'
  if (manner === undefined) return 'participant_add_failed'
  return manner === 'left' ? 'participant_hung_up' : 'participant_updated_via_api'
}

const NOBODY = { callSid: undefined, label: undefined }

function entered(room: Room, member: RoomMember): RoomStep {
  if (room.state === 'completed') return stay(room)
  const members = [...room.members, member]
  const joined: RoomEffect = { type: 'joined', callSid: member.callSid }
  if (room.state !== 'init' || !mayStart(members)) return stay({ ...room, members }, joined)
  return enter({ state: 'in-progress', members }, joined, { type: 'started' })
}

/** True when the room can start: it has two members, one of them with startConferenceOnEnter. */
function mayStart(members: readonly RoomMember[]): boolean {
  return members.length >= 2 && members.some(({ startOnEnter }) => startOnEnter)
}

function left(room: Room, callSid: string, how: LeaveManner): RoomStep {
  const leaver = room.members.find((member) => member.callSid === callSid)
  if (leaver === undefined || room.state === 'completed') return stay(room)
  const members = room.members.filter((member) => member !== leaver)
  const gone: RoomEffect = { type: 'gone', callSid, reason: leaveReason(room, how) }
  if (room.state === 'ending') return ending(members, room.end, false, gone)
  const by = { callSid, label: leaver.label }
  const manner = how === 'kicked' ? 'kicked' : 'left'
  if (leaver.endOnExit)
    return ending(
      members,
      { reason: `participant-with-end-conference-on-exit-${manner}`, ...by },
      true,
      gone,
    )
  if (members.length === 0)
    return ending(members, { reason: `last-participant-${manner}`, ...by }, true, gone)
  return stay({ ...room, members }, gone)
}

function changed(room: Room, callSid: string, endOnExit: boolean): Room {
  if (room.state === 'completed') return room
  const members = room.members.map((member) =>
    member.callSid === callSid ? { ...member, endOnExit } : member,
  )
  return { ...room, members }
}

/** Returns the room after its last invited call has failed. A room that never had a member reports no end. */
function withNobodyExpected(room: Room): Room {
  const isDeserted = room.state === 'init' && room.members.length === 0
  return isDeserted ? { state: 'completed', members: [], end: undefined } : room
}

/** Returns the step that releases the members. The end is reported last, once the room is empty. */
function ending(
  members: readonly RoomMember[],
  end: RoomEnd,
  isNew: boolean,
  ...before: RoomEffect[]
): RoomStep {
  if (members.length === 0)
    return enter({ state: 'completed', members: [], end }, ...before, { type: 'ended', end })
  const release: RoomEffect[] = isNew ? [{ type: 'release' }] : []
  return enter({ state: 'ending', members, end }, ...before, ...release)
}
