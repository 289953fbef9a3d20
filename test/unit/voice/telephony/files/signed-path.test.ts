import { expect, it } from 'vitest'
import {
  fileOfSignedPath,
  signedPath,
} from '../../../../../src/voice/telephony/files/file-listener.js'

const KEY = Buffer.alloc(32, 1)
const HOUR = 3_600_000
const FILE = '/var/lib/trunkline/media/ab/cd ef.wav'

it('names the file for an hour at least, and two at most', () => {
  const path = signedPath(FILE, KEY, 5 * HOUR + 1)
  expect(fileOfSignedPath(path, KEY, 5 * HOUR + 1)).toBe(FILE)
  expect(fileOfSignedPath(path, KEY, 7 * HOUR - 1)).toBe(FILE)
  expect(fileOfSignedPath(path, KEY, 7 * HOUR)).toBeUndefined()
})

it('is the same within the hour, so that a cache knows the file again', () => {
  expect(signedPath(FILE, KEY, 5 * HOUR)).toBe(signedPath(FILE, KEY, 6 * HOUR - 1))
})

it('keeps the extension, by which the media server knows the format', () => {
  expect(signedPath(FILE, KEY, 0)).toMatch(/^\/play\/[\w/-]+\.wav$/)
  expect(signedPath('/a/odd name.W!', KEY, 0)).toMatch(/\.wav$/)
})

it.each([
  ['another key', signedPath(FILE, Buffer.alloc(32, 2), 0)],
  ['another file', signedPath(FILE, KEY, 0).replace(/[^/]+$/, `${base64('/etc/passwd')}.wav`)],
  ['a later end', signedPath(FILE, KEY, 0).replace(/\d+/, String(99 * HOUR))],
  ['no signature', `/play/${String(99 * HOUR)}//${base64(FILE)}.wav`],
  ['a path as it is', '/play/../../etc/passwd'],
  ['nothing', '/'],
])('is refused with %s', (_title, path) => {
  expect(fileOfSignedPath(path, KEY, 1)).toBeUndefined()
})

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}
