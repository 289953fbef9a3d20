import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { AudioSource, RoomSeat } from '../leg-media.js'
import { LegEndedError } from '../port.js'
import {
  joinRoomCommand,
  type RoomChange,
  roomMemberCommand,
  roomPlayCommand,
} from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'
import { type RoomServer, recordRoom } from './record-room.js'

/** A member is in the room, or out of it, within a frame or two; this long means never. */
const CHANGE_LIMIT_MS = 2_000

/** See `Leg.joinRoom`. */
export async function joinRoom(
  endpoint: MediaEndpoint,
  room: string,
  voice: { readonly speaks: 'yes' | 'no' },
  server: RoomServer,
  log: Logger,
): Promise<RoomSeat> {
  const command = joinRoomCommand(room, voice)
  const entered = endpoint.nextRoomEvent('add-member')
  const left = endpoint.execute(command).then(
    () => undefined,
    (err: unknown) => {
      log.debug({ err }, 'a leg was over while it was in a room')
    },
  )
  const event = await withLimit(Promise.race([entered.done, left]), CHANGE_LIMIT_MS, () => {
    throw new AdapterError('a leg did not come into its room in time')
  }).finally(entered.forget)
  const member = event === undefined ? undefined : event.getHeader('Member-ID')
  if (member === undefined || member === null) {
    if (!endpoint.over.aborted) throw new AdapterError('the media server let nobody into the room')
    throw new LegEndedError('the leg is over')
  }
  const tell = async (change: RoomChange) => {
    await endpoint.api(roomMemberCommand(room, member, change))
  }
  return {
    member,
    left,
    setSpeaks: (speaks) => tell({ type: speaks === 'yes' ? 'unmute' : 'mute' }),
    setHears: (hears) => tell({ type: hears === 'yes' ? 'undeaf' : 'deaf' }),
    setHeardBy: (other, hears) =>
      tell({ type: 'relate', other: other.member, how: hears === 'yes' ? 'clear' : 'nospeak' }),
    onTalking: (listener) =>
      endpoint.onRoomEvent((told) => {
        const action = told.getHeader('Action')
        if (action === 'start-talking') listener('started')
        if (action === 'stop-talking') listener('stopped')
      }),
    record: (path) => recordRoom(room, path, server, log),
    play: async (source: AudioSource) => {
      await endpoint.api(roomPlayCommand(room, source))
    },
    leave: async () => {
      if (!endpoint.over.aborted) await tell({ type: 'kick' })
      await withLimit(left, CHANGE_LIMIT_MS, () => {
        log.warn({ room }, 'a leg did not say that it left its room')
      })
    },
  }
}
