import { endedWithin } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import {
  type Announcement,
  type ConferenceEntry,
  LeaveConferenceError,
} from '../markup/conference-entry.js'
import { DocumentReplacedError } from '../markup/document.js'
import type { Leg } from '../telephony/port.js'
import type { ConferenceDeps } from './conference.js'
import { ConferenceNotFoundError, ConferenceOverError } from './conference-errors.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { checkCoached, type Invitation, type InvitationWish, invite, isSid } from './invite.js'
import { type Departure, Participant } from './participant.js'
import type { ParticipantChange } from './participant-settings.js'
import { type ParticipantView, viewOf } from './participant-view.js'
import { Rooms } from './rooms.js'

export interface ConferencesDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: ConferenceStore
  readonly recorder: ConferenceDeps['recorder']
}

/** The conferences of this process: one for each account and name while the room is not empty. */
export interface Conferences {
  /**
   * Brings a call into the conference of that name. Resolves when the call has left: because the signal
   * aborted, the conference ended, or the API removed it. Rejects with ConferenceRefusedError.
   */
  enter(
    call: { readonly sid: string; readonly accountSid: string },
    leg: Leg,
    entry: ConferenceEntry,
    signal: AbortSignal,
  ): Promise<void>
  /** Rejects with ConferenceNotFoundError, as every method that takes a sid. A conference that has ended is found too. */
  fetch(accountSid: string, sid: string): Promise<ConferenceRecord>
  list: ConferenceStore['list']
  /** Ends the conference; one that has ended already stays as it is. */
  end(accountSid: string, sid: string): Promise<ConferenceRecord>
  /** Lists the participants, newest first; the list is empty once the conference has ended. */
  participants(accountSid: string, sid: string): Promise<readonly ParticipantView[]>
  /** Resolves with a participant; `name` is the sid of a call or a label. */
  participant(accountSid: string, sid: string, name: string): Promise<ParticipantView>
  /** Changes a participant. Rejects with CoachedCallError and then changes nothing. */
  change(
    accountSid: string,
    sid: string,
    name: string,
    change: ParticipantChange,
  ): Promise<ParticipantView>
  /**
   * Plays the markup once: to the participant of that name, or without a name to all who are not on
   * hold. Resolves when the announcement is queued; the status callback reports its begin and end.
   * Rejects with ConferenceNotFoundError, ConferenceOverError, or BusyAnnouncementsError when too
   * many wait.
   */
  announce(
    accountSid: string,
    sid: string,
    announcement: Announcement,
    name: string | undefined,
  ): Promise<void>
  /** Removes the participant; its call goes on. */
  remove(accountSid: string, sid: string, name: string): Promise<void>
  /**
   * Keeps a place for a call that is about to be made. `room` is the sid of a conference, or a
   * name; a conference of a new name is made. Rejects with ConferenceRefusedError,
   * ConferenceNotFoundError or ConferenceOverError.
   */
  invite(accountSid: string, room: string, wish: InvitationWish): Promise<Invitation>
  /**
   * The name of the other node that has the room; undefined where there is none. `room` is the sid of a
   * conference, or the name of an open one.
   */
  otherNodeOf(accountSid: string, room: string): Promise<string | undefined>
  liveCount(): number
}

/** The time for which the end of a conference waits for its participants to leave. */
const END_LIMIT_MS = 5_000

export function createConferences(deps: ConferencesDeps): Conferences {
  const { store } = deps
  const rooms = new Rooms(deps)

  const fetch: Conferences['fetch'] = async (accountSid, sid) => {
    const record = await store.find(accountSid, sid)
    if (record === undefined) throw new ConferenceNotFoundError(`there is no conference ${sid}`)
    return record
  }

  const find = async (accountSid: string, sid: string, name: string) => {
    const record = await fetch(accountSid, sid)
    const conference = rooms.live(record.sid)
    if (conference === undefined) throw new ConferenceNotFoundError(`conference ${sid} is over`)
    return { conference, participant: conference.participant(name) }
  }

  return {
    enter: (...asked) => enter(rooms, deps.clock.now(), ...asked),
    fetch,
    list: (...asked) => store.list(...asked),
    end: async (accountSid, sid) => {
      const record = await fetch(accountSid, sid)
      const conference = rooms.live(record.sid)
      if (conference === undefined) return record
      await endedWithin(conference.end(), END_LIMIT_MS)
      return conference.record
    },
    participants: async (accountSid, sid) => {
      const record = await fetch(accountSid, sid)
      const room = rooms.live(record.sid)
      const [present, coming] = [room?.participants ?? [], await room?.invited.views(record)]
      return [...(coming ?? []), ...present.map((one) => viewOf(one, record))].reverse()
    },
    participant: async (accountSid, sid, name) => {
      const record = await fetch(accountSid, sid)
      const coming = await rooms.live(record.sid)?.invited.view(name, record)
      if (coming !== undefined) return coming
      const { participant } = await find(accountSid, sid, name)
      return viewOf(participant, record)
    },
    change: async (accountSid, sid, name, change) => {
      const { conference, participant: changed } = await find(accountSid, sid, name)
      await conference.change(changed, change)
      return viewOf(changed, conference.record)
    },
    announce: async (accountSid, sid, ...wanted) => {
      announce(rooms, await fetch(accountSid, sid), ...wanted)
    },
    remove: async (accountSid, sid, name) => {
      const { sid: known } = await fetch(accountSid, sid)
      const coming = rooms.live(known)?.invited.find(name)?.call
      if (coming === undefined) (await find(accountSid, sid, name)).participant.end('kicked')
      else coming.hangUp()
    },
    invite: (...asked) => invite(rooms, store, ...asked),
    otherNodeOf: async (accountSid, room) => {
      if ((rooms.live(room) ?? rooms.find(accountSid, room)) !== undefined) return undefined
      return await store.otherNodeOf(accountSid, isSid(room) ? { sid: room } : { name: room })
    },
    liveCount: () => rooms.size,
  }
}

function announce(
  rooms: Rooms,
  { sid }: ConferenceRecord,
  announcement: Announcement,
  name: string | undefined,
): void {
  const conference = rooms.live(sid)
  if (!conference?.isOpen) throw new ConferenceOverError('The conference is over')
  const one = name === undefined ? undefined : conference.participant(name)
  conference.announcements.add(announcement, one)
}

async function enter(
  rooms: Rooms,
  now: number,
  ...[{ sid, accountSid }, leg, entry, signal]: Parameters<Conferences['enter']>
): Promise<void> {
  const participant = new Participant(sid, leg, entry, now)
  const known = rooms.expecting(sid) ?? rooms.find(accountSid, entry.name)
  checkCoached(known, entry.coach)
  const conference = known ?? rooms.open(accountSid, entry)
  const place = conference.invited.find(sid)
  if (place !== undefined) conference.invited.free(place)
  if (!conference.isOpen) return
  conference.checkRoomFor(entry)
  const leave = () => {
    participant.end(departureOf(signal))
  }
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    await conference.stay(participant)
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function departureOf({ reason }: AbortSignal): Departure {
  if (reason instanceof LeaveConferenceError) return 'stepped-out'
  return reason instanceof DocumentReplacedError ? 'redirected' : 'hung-up'
}
