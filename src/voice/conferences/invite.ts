import type { ConferenceEntry } from '../markup/conference-entry.js'
import type { Conference } from './conference.js'
import { ConferenceNotFoundError, ConferenceOverError } from './conference-errors.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { type InvitedCall, viewOfInvited } from './invited-calls.js'
import type { ParticipantView } from './participant-view.js'
import type { Rooms } from './rooms.js'

/** What is to be known of somebody before it is called. */
export type InvitationWish = Pick<ConferenceEntry, 'label' | 'maxParticipants' | 'statusCallback'>

/** A place in a room for somebody who is not in it yet. */
export interface Invitation {
  readonly conference: ConferenceRecord
  /** This call is to take the place; resolves when the room is stored. */
  accept(call: InvitedCall): Promise<ParticipantView>
  /** Nobody takes it, or whoever might have is over. */
  withdraw(): Promise<void>
}

const SID = /^CF[0-9a-fA-F]{32}$/

/** See `Conferences.invite`. */
export async function invite(
  rooms: Rooms,
  store: ConferenceStore,
  accountSid: string,
  room: string,
  wish: InvitationWish,
): Promise<Invitation> {
  const conference = SID.test(room)
    ? await liveRoom(rooms, store, accountSid, room)
    : rooms.open(accountSid, { name: room, statusCallback: wish.statusCallback })
  conference.checkRoomFor(wish)
  const { invited } = conference
  const place = invited.keep(wish.label)
  const withdraw = async () => {
    invited.free(place)
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
