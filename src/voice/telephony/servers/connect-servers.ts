/** Connects legs whose channels are on two media servers, over a tie line. */
import { linkAbort } from '../../../platform/async/abort.js'
import type { Logger } from '../../../platform/log.js'
import { bridge } from '../freeswitch/bridge.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { RoomServer } from '../freeswitch/record-room.js'
import { joinRoom } from '../freeswitch/room.js'
import type { RoomSeat } from '../leg-media.js'
import type { TieLine } from './tie-line.js'

/** Bridges two channels over a tie line until the signal aborts or one of them ends. */
export async function bridgeOver(
  line: TieLine,
  first: MediaEndpoint,
  second: MediaEndpoint,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const parting = new AbortController()
  using either = linkAbort([signal, parting.signal])
  const part = () => {
    parting.abort()
  }
  try {
    await Promise.all([
      bridge(first, line.near, either.signal, log).finally(part),
      bridge(line.far, second, either.signal, log).finally(part),
    ])
  } finally {
    await line.close()
  }
}

/** A leg's seat in a room on another server; `voice` is the channel that represents it there. */
export interface DistantSeat {
  readonly seat: RoomSeat
  readonly voice: MediaEndpoint
}

/** Adds a channel to a room on another server. `join` bridges the channel with the line's near end. */
export async function joinRoomOver(
  line: TieLine,
  { room, voice, server }: { room: string; voice: { speaks: 'yes' | 'no' }; server: RoomServer },
  join: (near: MediaEndpoint, signal: AbortSignal) => Promise<void>,
  log: Logger,
): Promise<DistantSeat> {
  const parting = new AbortController()
  const joined = join(line.near, parting.signal).catch((err: unknown) => {
    log.warn({ err, room }, 'could not connect a leg with the media server of its room')
  })
  const part = async () => {
    parting.abort()
    await joined
    await line.close()
  }
  try {
    const there = await joinRoom(line.far, room, voice, server, log)
    const left = Promise.race([there.left, joined]).then(part)
    const seat: RoomSeat = {
      ...there,
      left,
      leave: async () => {
        await there.leave()
        await left
      },
    }
    return { seat, voice: line.far }
  } catch (err) {
    await part()
    throw err
  }
}
