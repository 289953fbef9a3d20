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

/** Maximum time for a member to enter or leave, ms; it usually takes one or two frames. */
const CHANGE_LIMIT_MS = 2_000

type Listener = Parameters<RoomSeat['onTalking']>[0]

/** Adds the leg to a room; see `LegMedia.joinRoom`. */
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
      log.debug({ err }, 'leg ended in a room')
    },
  )
  // A member may start to talk before any listener exists.
  const talk = new MemberTalk(voice.speaks === 'yes')
  const forgetTalk = onTalk(endpoint, (talking) => {
    talk.receive(talking)
  })
  void left.finally(forgetTalk)
  const event = await withLimit(Promise.race([entered.done, left]), CHANGE_LIMIT_MS, () => {
    throw new AdapterError('the leg did not enter its room in time')
  }).finally(entered.forget)
  const member = event === undefined ? undefined : event.getHeader('Member-ID')
  if (member === undefined || member === null) {
    if (!endpoint.over.aborted)
      throw new AdapterError('the media server refused entry into the room')
    throw new LegEndedError('the leg is over')
  }
  const send = async (change: RoomChange) => {
    await endpoint.api(roomMemberCommand(room, member, change))
  }
  return {
    member,
    left,
    setSpeaks: async (speaks) => {
      if (speaks === 'yes') talk.mayBegin()
      await send({ type: speaks === 'yes' ? 'unmute' : 'mute' })
      if (speaks === 'no') talk.mustEnd()
    },
    setHears: (hears) => send({ type: hears === 'yes' ? 'undeaf' : 'deaf' }),
    setHeardBy: (other, hears) =>
      send({ type: 'relate', other: other.member, how: hears === 'yes' ? 'clear' : 'nospeak' }),
    onTalking: (listener) => talk.listen(listener),
    record: (path) => recordRoom(room, path, server, log),
    play: async (source: AudioSource) => {
      await endpoint.api(roomPlayCommand(room, source, endpoint.urlOf))
    },
    leave: async () => {
      if (!endpoint.over.aborted) await send({ type: 'kick' })
      await withLimit(left, CHANGE_LIMIT_MS, () => {
        log.warn({ room }, 'no event came for a leg that left its room')
      })
    },
  }
}

/**
 * The talk of a room's member, as alternating starts and stops. FreeSWITCH reports no stop when a talking
 * member is muted, and a second start when it talks again.
 */
export class MemberTalk {
  readonly #listeners = new Set<Listener>()
  #isTalking = false
  #mayTalk: boolean

  constructor(mayTalk: boolean) {
    this.#mayTalk = mayTalk
  }

  /** Handles an event of the media server; ignores repetitions and the talk of a muted member. */
  receive(talking: 'started' | 'stopped'): void {
    const isTalking = talking === 'started'
    if (isTalking === this.#isTalking || (isTalking && !this.#mayTalk)) return
    this.#isTalking = isTalking
    for (const listener of [...this.#listeners]) listener(talking)
  }

  mayBegin(): void {
    this.#mayTalk = true
  }

  /** Ends the talk of a member that was muted. */
  mustEnd(): void {
    this.#mayTalk = false
    this.receive('stopped')
  }

  /** Calls the listener at each start and stop, and at once when the member is talking. */
  listen(listener: Listener): () => void {
    if (this.#isTalking) listener('started')
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}

/** Calls the listener when the member starts or stops talking; the returned function unsubscribes. */
function onTalk(endpoint: MediaEndpoint, listener: Parameters<RoomSeat['onTalking']>[0]) {
  return endpoint.onRoomEvent((event) => {
    const action = event.getHeader('Action')
    if (action === 'start-talking') listener('started')
    if (action === 'stop-talking') listener('stopped')
  })
}
