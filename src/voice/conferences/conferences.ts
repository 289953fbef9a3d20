import { endedWithin } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import {
  type Announcement,
  type ConferenceEntry,
  ConferenceRefusedError,
  LeaveConferenceError,
} from '../markup/conference-entry.js'
import { DocumentReplacedError } from '../markup/document.js'
import type { Leg } from '../telephony/port.js'
import { Conference, type ConferenceDeps, type ConferenceDirectory } from './conference.js'
import { ConferenceNotFoundError, ConferenceOverError } from './conference-errors.js'
import { type ConferenceRecord, newConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { type InvitedCall, viewOfInvited } from './invited-calls.js'
import { type Departure, Participant } from './participant.js'
import type { ParticipantChange } from './participant-settings.js'
import { type ParticipantView, viewOf } from './participant-view.js'

export interface ConferencesDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: ConferenceStore
  readonly recorder: ConferenceDeps['recorder']
}

/** The conferences of this process: at most one per account and name at a time. */
export interface Conferences {
  /**
   * Adds a call to the conference of that name. Resolves when the call has left: the signal aborted, the
   * conference ended, or the API removed it. Rejects with ConferenceRefusedError.
   */
  enter(
    call: { readonly sid: string; readonly accountSid: string },
    leg: Leg,
    entry: ConferenceEntry,
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Resolves with a conference, live or ended. Rejects with ConferenceNotFoundError, like every method that
   * takes a sid.
   */
  fetch(accountSid: string, sid: string): Promise<ConferenceRecord>
  list: ConferenceStore['list']
  /** Ends the conference; one that has already ended is unchanged. */
  end(accountSid: string, sid: string): Promise<ConferenceRecord>
  /** Lists the participants, newest first; the list is empty once the conference has ended. */
  participants(accountSid: string, sid: string): Promise<readonly ParticipantView[]>
  /** Resolves with a participant; `name` is the sid of a call or a label. */
  participant(accountSid: string, sid: string, name: string): Promise<ParticipantView>
  /** Changes a participant. Rejects with CoachedCallError, without any change. */
  change(
    accountSid: string,
    sid: string,
    name: string,
    change: ParticipantChange,
  ): Promise<ParticipantView>
  /**
   * Plays the markup once: to the participant of that name, or without a name to all who are not on hold.
   * Resolves when the announcement is queued; the status callback reports its start and end. Rejects with
   * ConferenceNotFoundError, ConferenceOverError, or BusyAnnouncementsError when too many are waiting.
   */
  announce(
    accountSid: string,
    sid: string,
    announcement: Announcement,
    name: string | undefined,
  ): Promise<void>
  /** Removes the participant; its call continues. */
  remove(accountSid: string, sid: string, name: string): Promise<void>
  /**
   * Reserves a place for a call that is about to be made. `room` is the sid of a conference, or a name; a new
   * name creates a conference. Rejects with ConferenceRefusedError, ConferenceNotFoundError or
   * ConferenceOverError.
   */
  invite(accountSid: string, room: string, wish: InvitationWish): Promise<Invitation>
  /**
   * Resolves with the name of the other node that runs the room; undefined when there is none. `room` is the
   * sid of a conference, or the name of an open one.
   */
  otherNodeOf(accountSid: string, room: string): Promise<string | undefined>
  liveCount(): number
}

/** Maximum time that ending a conference waits for its participants to leave, ms. */
const END_LIMIT_MS = 5_000

/** The facts about a participant that the room needs before it is called. */
type InvitationWish = Pick<
  ConferenceEntry,
  'label' | 'maxParticipants' | 'coach' | 'statusCallback'
>

/** A reserved place in a room for a call that is about to be made. */
interface Invitation {
  readonly conference: ConferenceRecord
  /** Gives the place to this call; resolves when the room is stored. */
  accept(call: InvitedCall): Promise<ParticipantView>
  /** Frees the place. If its call never joined, it is reported as not reached. */
  withdraw(): Promise<void>
}

type RoomsDeps = Omit<ConferenceDeps, 'directory'>

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

/** True for the sid of a conference; any other text is a name. */
const isSid = (room: string): boolean => /^CF[0-9a-fA-F]{32}$/.test(room)

/** Throws ConferenceRefusedError when the call to coach is neither in the conference nor invited to it. */
function checkCoached(conference: Conference | undefined, coach: string | undefined): void {
  if (coach === undefined || conference?.has(coach)) return
  if (conference?.invited.find(coach) !== undefined) return
  throw new ConferenceRefusedError(13240, `${coach} is not in the conference`)
}

/** Implements `Conferences.invite`. */
async function invite(
  rooms: Rooms,
  store: ConferenceStore,
  accountSid: string,
  room: string,
  wish: InvitationWish,
): Promise<Invitation> {
  const known = isSid(room)
    ? await liveRoom(rooms, store, accountSid, room)
    : rooms.find(accountSid, room)
  checkCoached(known, wish.coach)
  const { statusCallback } = wish
  const conference = known ?? rooms.open(accountSid, { name: room, statusCallback })
  conference.checkRoomFor(wish)
  const { invited } = conference
  const place = invited.keep(wish.label)
  const withdraw = async () => {
    const isKept = invited.free(place)
    if (isKept && place.call !== undefined)
      await conference.notReached(place.call.facts, await place.call.status())
    if (invited.size === 0) await conference.expectNobody()
  }
  return {
    conference: conference.record,
    accept: async (call) => {
      place.call = call
      await conference.expectCall()
      return viewOfInvited(call, 'queued', conference.record)
    },
    withdraw,
  }
}

async function liveRoom(
  rooms: Rooms,
  store: ConferenceStore,
  accountSid: string,
  sid: string,
): Promise<Conference> {
  const record = await store.find(accountSid, sid)
  if (record === undefined) throw new ConferenceNotFoundError(`there is no conference ${sid}`)
  const conference = rooms.live(sid)
  if (conference === undefined) throw new ConferenceOverError('The conference is over')
  return conference
}

/** The live conferences: by account and name while they accept calls, by sid until their end. */
class Rooms implements ConferenceDirectory {
  readonly #deps: RoomsDeps
  readonly #open = new Map<string, Conference>()
  readonly #live = new Map<string, Conference>()

  constructor(deps: RoomsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#live.size
  }

  live(sid: string): Conference | undefined {
    return this.#live.get(sid)
  }

  /** Returns the conference that this call is invited to; undefined when there is none. */
  expecting(callSid: string): Conference | undefined {
    return [...this.#live.values()].find(({ invited }) => invited.find(callSid) !== undefined)
  }

  /** Returns the conference of that name that is open here. */
  find(accountSid: string, name: string): Conference | undefined {
    return this.#open.get(keyOf(accountSid, name))
  }

  /** Returns the open conference of that name; creates it when there is none. */
  open(accountSid: string, wanted: Pick<ConferenceEntry, 'name' | 'statusCallback'>): Conference {
    const known = this.find(accountSid, wanted.name)
    if (known !== undefined) return known
    const record = newConferenceRecord(accountSid, wanted, this.#deps.clock.now())
    const conference = new Conference(record, { ...this.#deps, directory: this })
    this.#open.set(keyOf(accountSid, wanted.name), conference)
    this.#live.set(record.sid, conference)
    return conference
  }

  closed(conference: Conference): void {
    const { accountSid, friendlyName } = conference.record
    const key = keyOf(accountSid, friendlyName)
    if (this.#open.get(key) === conference) this.#open.delete(key)
  }

  ended({ record }: Conference): void {
    this.#live.delete(record.sid)
  }
}

function keyOf(accountSid: string, name: string): string {
  return `${accountSid} ${name}`
}

function departureOf({ reason }: AbortSignal): Departure {
  if (reason instanceof LeaveConferenceError) return 'stepped-out'
  return reason instanceof DocumentReplacedError ? 'redirected' : 'hung-up'
}
