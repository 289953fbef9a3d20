import { expect, it } from 'vitest'
import { deferred } from '../../../../../src/platform/async/deferred.js'
import { createLogger } from '../../../../../src/platform/log.js'
import type { MediaEndpoint } from '../../../../../src/voice/telephony/freeswitch/media-endpoint.js'
import type { RoomServer } from '../../../../../src/voice/telephony/freeswitch/record-room.js'
import { joinRoom } from '../../../../../src/voice/telephony/freeswitch/room.js'

type Told = Parameters<Parameters<MediaEndpoint['onRoomEvent']>[0]>[0]

/** A channel whose room events the test tells. */
function fakeEndpoint() {
  const listeners = new Set<(event: Told) => void>()
  const left = deferred()
  const onRoomEvent: MediaEndpoint['onRoomEvent'] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const endpoint = {
    onRoomEvent,
    nextRoomEvent: (action: string) => {
      const done = new Promise<Told>((resolve) => {
        onRoomEvent((event) => {
          if (event.getHeader('Action') === action) resolve(event)
        })
      })
      return { done, forget: () => undefined }
    },
    execute: () => left.done,
    over: new AbortController().signal,
  } as unknown as MediaEndpoint // nothing else of it is used here
  const tell = (action: string) => {
    const headers: Readonly<Record<string, string>> = { Action: action, 'Member-ID': '7' }
    const event = { getHeader: (name: string) => headers[name] ?? null } as unknown as Told
    for (const listener of [...listeners]) listener(event)
  }
  return { endpoint, tell, left, listeners }
}

it('a member that talks before it is listened to has begun before it ends', async () => {
  const { endpoint, tell, left, listeners } = fakeEndpoint()
  const log = createLogger('silent')
  const server = {} as RoomServer // nothing is recorded here
  const joined = joinRoom(endpoint, 'room', { speaks: 'yes' }, server, log)
  tell('add-member')
  tell('start-talking')
  const seat = await joined
  const heard: string[] = []
  const unsubscribe = seat.onTalking((talking) => heard.push(talking))
  tell('stop-talking')
  tell('start-talking')
  expect(heard).toEqual(['started', 'stopped', 'started'])
  unsubscribe()
  const before = listeners.size
  left.resolve()
  await left.done
  await new Promise((resolve) => setImmediate(resolve))
  expect(listeners.size).toBe(before - 1)
})
