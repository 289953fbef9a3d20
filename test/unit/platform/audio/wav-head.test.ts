import { expect, it } from 'vitest'
import {
  isWav,
  readWavHead,
  WAV_HEAD_BYTES,
  wavHead,
} from '../../../../src/platform/audio/wav-head.js'

it('reads back the head that it writes', () => {
  const head = wavHead(2, 16_000, 640)
  expect(head).toHaveLength(WAV_HEAD_BYTES)
  expect(head.readUInt32LE(4)).toBe(WAV_HEAD_BYTES - 8 + 640)
  expect(head.readUInt32LE(28)).toBe(16_000 * 2 * 2)
  expect(isWav(head)).toBe(true)
  expect(readWavHead(head)).toEqual({
    format: { tag: 1, channels: 2, rate: 16_000, bits: 16, blockBytes: 4 },
    dataStart: WAV_HEAD_BYTES,
    dataBytes: 640,
  })
})

it.each([
  ['no bytes', Buffer.alloc(0)],
  ['a head cut short', wavHead(1, 8000, 0).subarray(0, 30)],
  [
    'a chunk that claims more than there is',
    Buffer.from('RIFF\0\0\0\0WAVELIST\xff\xff\xff\x7f', 'latin1'),
  ],
])('finds no data in %s', (_title, bytes) => {
  expect(readWavHead(bytes)).toBeUndefined()
})

it('tells a format chunk that is cut short from one that is whole', () => {
  const head = wavHead(1, 8000, 0)
  head.writeUInt32LE(12, 16)
  const file = Buffer.concat([head.subarray(0, 32), head.subarray(36)])
  expect(readWavHead(file)).toMatchObject({ format: undefined, dataStart: 40 })
})

it('reads random bytes without throwing', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  let state = seed
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16
  for (let round = 0; round < 2_000; round += 1) {
    const tail = Buffer.from(Array.from({ length: next() % 80 }, () => next() & 0xff))
    const bytes = Buffer.concat([wavHead(1, 8000, 8).subarray(0, next() % 44), tail])
    expect(() => readWavHead(bytes), `seed ${seed}`).not.toThrow()
  }
})
