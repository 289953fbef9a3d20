import { expect, it } from 'vitest'
import { createLogger } from '../../../../../src/platform/log.js'
import type { FileListener } from '../../../../../src/voice/telephony/files/file-listener.js'
import { MediaFiles } from '../../../../../src/voice/telephony/files/media-files.js'
import type { MediaConnection } from '../../../../../src/voice/telephony/freeswitch/media-connection.js'

const PATH = '/there/RE1.wav'

/** One media server that has the file until it is removed. */
function setUp(answer: {
  readonly isHere: boolean
  readonly sendFails?: boolean
  readonly removeFails?: boolean
}) {
  let isThere = true
  const files = {
    has: () => Promise.resolve(isThere),
    send: () =>
      answer.sendFails === true
        ? Promise.reject(new Error('no answer in time'))
        : Promise.resolve(),
    remove: () => {
      isThere = false
      return answer.removeFails === true
        ? Promise.reject(new Error('no such command'))
        : Promise.resolve()
    },
  }
  // The parts of both that a transfer uses.
  const connection = { name: 'one', isLost: false, files } as unknown as MediaConnection
  const expected = { url: 'http://here/', finish: () => Promise.resolve(answer.isHere) }
  const listener = { expect: () => expected } as unknown as FileListener
  const mediaFiles = new MediaFiles({
    listener,
    recordings: { here: '/here', onMediaServer: '/there' },
    servers: () => [{ name: 'one', connection }],
    log: createLogger('silent'),
  })
  return { mediaFiles, isThere: () => isThere }
}

it('a recording that is sent whole is brought, and goes from the media server', async () => {
  const { mediaFiles, isThere } = setUp({ isHere: true })
  expect(await mediaFiles.bring(PATH)).toBe(true)
  expect(isThere()).toBe(false)
})

it('a recording that is here is brought, though the server says that it could not send it', async () => {
  const { mediaFiles } = setUp({ isHere: true, sendFails: true })
  expect(await mediaFiles.bring(PATH)).toBe(true)
})

it('a recording that is here is brought, though the server keeps its own copy', async () => {
  const { mediaFiles } = setUp({ isHere: true, removeFails: true })
  expect(await mediaFiles.bring(PATH)).toBe(true)
})

it('a recording that has not come is not taken for brought, though the server says that it sent it', async () => {
  const { mediaFiles, isThere } = setUp({ isHere: false })
  const bringing = mediaFiles.bring(PATH)
  mediaFiles.close()
  expect(await bringing).toBe(false)
  expect(isThere()).toBe(true)
})
