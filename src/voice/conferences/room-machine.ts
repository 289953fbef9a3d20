/** When a room starts, what ends it, and the events that its callbacks report. Pure. */
import { enter, type Step, stay } from '../../platform/step.js'

export interface RoomMember {
  readonly callSid: string
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
  /** Undefined: the API did it. */
  readonly callSid: string | undefined
}

export interface Room {
  /**
   * init: everybody waits · in-progress: everybody hears everybody · ending: nobody comes in any more,
   * and those who are in leave · completed: nobody is left
   */
  readonly state: 'init' | 'in-progress' | 'ending' | 'completed'
  readonly members: readonly RoomMember[]
  readonly end: RoomEnd | undefined
}

export type RoomEvent =
  | { readonly type: 'entered'; readonly member: RoomMember }
  | { readonly type: 'left'; readonly callSid: string; readonly how: 'left' | 'kicked' }
  | { readonly type: 'changed'; readonly callSid: string; readonly endOnExit: boolean }
  | { readonly type: 'end-requested' }
  /** Somebody is called to come in. */
  | { readonly type: 'awaited' }
  /** Whoever was awaited does not come. */
  | { readonly type: 'nobody-comes' }
  /** Something is told of an announcement or a speaker; nobody has moved. */
  | { readonly type: 'told' }

export type RoomEffect =
  | { readonly type: 'joined'; readonly callSid: string }
  | { readonly type: 'gone'; readonly callSid: string }
  | { readonly type: 'started' }
  /** Everybody who is still in has to leave. */
  | { readonly type: 'release' }
  | { readonly type: 'ended'; readonly end: RoomEnd }

export type RoomStep = Step<Room, RoomEffect>

export const EMPTY_ROOM: Room = { state: 'init', members: [], end: undefined }

export function stepRoom(room: Room, event: RoomEvent): RoomStep {
  switch (event.type) {
    case 'entered':
      return entered(room, event.member)
    case 'left':
      return left(room, event)
    case 'changed':
      return stay(changed(room, event))
    case 'awaited':
    case 'told':
      return stay(room)
    case 'nobody-comes':
      return stay(nobodyComes(room))
    case 'end-requested':
      return room.state === 'ending' || room.state === 'completed'
        ? stay(room)
        : ending(room, { reason: 'conference-ended-via-api', callSid: undefined }, [])
  }
}

function entered(room: Room, member: RoomMember): RoomStep {
  const members = [...room.members, member]
  const joined: RoomEffect = { type: 'joined', callSid: member.callSid }
  if (room.state !== 'init' || !mayStart(members)) return stay({ ...room, members }, joined)
  return enter({ ...room, members, state: 'in-progress' }, joined, { type: 'started' })
}

/** Two at least, and one of them somebody whom the others wait for. */
function mayStart(members: readonly RoomMember[]): boolean {
  return members.length >= 2 && members.some(({ startOnEnter }) => startOnEnter)
}

function left(room: Room, { callSid, how }: Extract<RoomEvent, { type: 'left' }>): RoomStep {
  const leaver = room.members.find((member) => member.callSid === callSid)
  if (leaver === undefined) return stay(room)
  const rest = { ...room, members: room.members.filter((member) => member !== leaver) }
  const gone: RoomEffect = { type: 'gone', callSid }
  if (room.state === 'ending') return ending(rest, room.end, [gone])
  if (leaver.endOnExit)
    return ending(rest, { reason: `participant-with-end-conference-on-exit-${how}`, callSid }, [
      gone,
    ])
  if (rest.members.length === 0)
    return ending(rest, { reason: `last-participant-${how}`, callSid }, [gone])
  return stay(rest, gone)
}

function changed(
  room: Room,
  { callSid, endOnExit }: Extract<RoomEvent, { type: 'changed' }>,
): Room {
  const members = room.members.map((member) =>
    member.callSid === callSid ? { ...member, endOnExit } : member,
  )
  return { ...room, members }
}

/** Nothing began, so no end is told. */
function nobodyComes(room: Room): Room {
  const isDeserted = room.state === 'init' && room.members.length === 0
  return isDeserted ? { ...room, state: 'completed' } : room
}

/** The end is told last, once nobody is left. */
function ending(room: Room, end: RoomEnd | undefined, before: readonly RoomEffect[]): RoomStep {
  if (room.members.length > 0) {
    const effects: RoomEffect[] = room.state === 'ending' ? [] : [{ type: 'release' }]
    return enter({ ...room, state: 'ending', end }, ...before, ...effects)
  }
  const ended: RoomEffect[] = end === undefined ? [] : [{ type: 'ended', end }]
  return enter({ ...room, state: 'completed', end }, ...before, ...ended)
}
