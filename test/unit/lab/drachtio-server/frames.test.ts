import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameError, FrameReader } from '../../../../src/lab/drachtio-server/frames.js'

describe('encodeFrame', () => {
  it.each([
    ['ASCII', 'a|ping', '6#a|ping'],
    ['two bytes a character', 'a|µ', '4#a|µ'],
    ['four bytes a character', '😀', '4#😀'],
  ])('counts bytes: %s', (_title, payload, frame) => {
    expect(encodeFrame(payload).toString('utf8')).toBe(frame)
  })
})

describe('FrameReader', () => {
  const payloads = ['one', 'zwölf|Grüße', 'x'.repeat(70_000), '#3#', '😀😀']
  const stream = Buffer.concat(payloads.map(encodeFrame))

  it.each([
    1,
    2,
    3,
    7,
    1460,
    stream.length,
  ])('gives the same frames in chunks of %i bytes', (size) => {
    const reader = new FrameReader()
    const read: string[] = []
    const step = size < 3 ? stream.subarray(0, 60) : stream
    for (let at = 0; at < step.length; at += size) {
      read.push(...reader.push(step.subarray(at, at + size)))
    }
    expect(read).toEqual(size < 3 ? payloads.slice(0, 2) : payloads)
  })

  it.each([
    'abc#x',
    '#x',
    '-1#x',
    '0#x',
    '12345678#x',
    '9999999#x',
    'GET / HTTP/1.1',
    '1.5#x',
    '1 #x',
  ])('gives up on %j', (bytes) => {
    expect(() => new FrameReader().push(Buffer.from(bytes))).toThrow(FrameError)
  })

  it('never throws anything else on random bytes', () => {
    let seed = 20_261_120
    const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff
    for (let round = 0; round < 2000; round++) {
      const alphabet = round % 2 === 0 ? '0123456789#|a' : undefined
      const bytes = Buffer.from(
        Array.from({ length: 1 + Math.floor(random() * 40) }, () =>
          alphabet === undefined
            ? Math.floor(random() * 256)
            : alphabet.charCodeAt(Math.floor(random() * alphabet.length)),
        ),
      )
      try {
        new FrameReader().push(bytes)
      } catch (error) {
        expect(error, `round ${String(round)} of seed 20261120`).toBeInstanceOf(FrameError)
      }
    }
  })
})
