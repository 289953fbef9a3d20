import { type ConferenceEntry, ConferenceRefusedError } from '../markup/conference-entry.js'
import type { Conference } from './conference.js'
import { ConferenceNotFoundError, ConferenceOverError } from './conference-errors.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { type InvitedCall, viewOfInvited } from './invited-calls.js'
import type { ParticipantView } from './participant-view.js'
import type { Rooms } from './rooms.js'

/** The facts that the room needs of a participant before it is called. */
export type InvitationWish = Pick<
  ConferenceEntry,
  'label' | 'maxParticipants' | 'coach' | 'statusCallback'
>

/** A kept place in a room for a call that is about to be made. */
export interface Invitation {
  readonly conference: ConferenceRecord
  /** Gives the place to this call; resolves when the room is stored. */
  accept(call: InvitedCall): Promise<ParticipantView>
  /** Frees the place. A call that had it and never came in is reported as not reached. */
  withdraw(): Promise<void>
}

/** True for the sid of a conference; any other text is a name. */
export const isSid = (room: string): boolean => /^CF[0-9a-fA-F]{32}$/.test(room)

/**
 * Throws ConferenceRefusedError when the call to coach is neither in the conference nor on its way
 * into it.
 */
export function checkCoached(conference: Conference | undefined, coach: string | undefined): void {
  if (coach === undefined || conference?.has(coach)) return
  if (conference?.invited.find(coach) !== undefined) return
  throw new ConferenceRefusedError(13240, `${coach} is not in the conference`)
}

/** Carries out `Conferences.invite`. */
export async function invite(
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
    if (invited.size === 0) await conference.awaitNobody()
  }
  return {
    conference: conference.record,
    accept: async (call) => {
      place.call = call
      await conference.await()
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
