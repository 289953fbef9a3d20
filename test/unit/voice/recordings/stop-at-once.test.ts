import { expect, it, vi } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { StorageUnavailableError } from '../../../../src/platform/database/storage-error.js'
import { newSid } from '../../../../src/platform/ids.js'
import type { RecordingWish } from '../../../../src/voice/model/recording-wish.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

const WISH: RecordingWish = {
  source: 'OutboundAPI',
  channels: 'mono',
  track: 'both',
  trim: 'do-not-trim',
}

/** A room, and what the media server was told in order. */
function recordedRoom() {
  const told: string[] = []
  const room = {
    record: () => {
      told.push('record')
      const { done, resolve } = deferred()
      return Promise.resolve({
        ended: done,
        stop: () => {
          told.push('stop')
          resolve()
          return Promise.resolve()
        },
        pause: () => {
          told.push('pause')
          return Promise.resolve()
        },
        resume: () => Promise.resolve(),
      })
    },
  }
  return { room, told }
}

it('a recording that is stopped before it has begun does not go on', async () => {
  await using t = await setUpRecordingsApi()
  const { room, told } = recordedRoom()
  const conferenceSid = newSid('CF')
  const call = { sid: newSid('CA'), accountSid: t.account.sid, conferenceSid }
  const starting = t.recordings.startOfRoom(call, room, WISH)
  const [ended] = await t.recordings.stopAll(conferenceSid)
  await starting
  expect(ended).toMatchObject({ status: 'absent', errorCode: 16101 })
  expect(told).toEqual(['record', 'stop'])
  expect(t.recordings.liveCount()).toBe(0)
})

it('a recording that is paused before it has begun is silent', async () => {
  await using t = await setUpRecordingsApi()
  const { room, told } = recordedRoom()
  const conferenceSid = newSid('CF')
  const call = { sid: newSid('CA'), accountSid: t.account.sid, conferenceSid }
  const starting = t.recordings.startOfRoom(call, room, WISH)
  const paused = t.recordings.change(t.account.sid, conferenceSid, 'Twilio.CURRENT', {
    type: 'pause',
    behavior: 'silence',
  })
  expect((await paused).status).toBe('paused')
  expect(told).toEqual(['record', 'pause'])
  await (await starting).stop()
})

it('a recording that could not be stored is not under way, and can be stopped', async () => {
  await using t = await setUpRecordingsApi()
  const { room, told } = recordedRoom()
  const conferenceSid = newSid('CF')
  const call = { sid: newSid('CA'), accountSid: t.account.sid, conferenceSid }
  vi.spyOn(t.db, 'write').mockRejectedValueOnce(new StorageUnavailableError('no room'))
  const starting = t.recordings.startOfRoom(call, room, WISH)
  const stopping = t.recordings.stopAll(conferenceSid)
  await expect(starting).rejects.toThrow('no room')
  expect(await stopping).toMatchObject([{ status: 'absent' }])
  expect(told).toEqual([])
  expect(t.recordings.liveCount()).toBe(0)
})
