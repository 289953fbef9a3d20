import { describe, expect, it } from 'vitest'
import {
  createSampleReader,
  parseWavHeader,
  WavFormatError,
} from '../../../../../src/lab/media/codecs/wav.js'
import { wavHead } from '../../../../../src/platform/audio/wav-head.js'

function chunk(name: string, body: Buffer, length = body.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(name)
  head.writeUInt32LE(length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

function format(code: number, channels: number, rate: number, bits: number): Buffer {
  const body = Buffer.alloc(16)
  body.writeUInt16LE(code, 0)
  body.writeUInt16LE(channels, 2)
  body.writeUInt32LE(rate, 4)
  body.writeUInt16LE(bits, 14)
  return body
}

function wav(...chunks: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), ...chunks])
}

const PCM = format(1, 1, 8000, 16)
const DATA = chunk('data', Buffer.alloc(8))

describe('reading', () => {
  it('finds format and data among other chunks of odd length', () => {
    const file = wav(
      chunk('LIST', Buffer.alloc(5)),
      chunk('fmt ', PCM),
      chunk('fact', Buffer.alloc(4)),
      DATA,
    )
    expect(parseWavHeader(file, file.length)).toEqual({
      encoding: 'pcm16',
      channels: 1,
      sampleRate: 8000,
      bytesPerFrame: 2,
      dataStart: file.length - 8,
      dataBytes: 8,
    })
  })

  it.each([
    [1, 8, 'pcm8'],
    [1, 16, 'pcm16'],
    [1, 24, 'pcm24'],
    [6, 8, 'alaw'],
    [7, 8, 'ulaw'],
  ])('knows format %i with %i bits', (code, bits, encoding) => {
    const file = wav(chunk('fmt ', format(code, 2, 44_100, bits)), DATA)
    expect(parseWavHeader(file, file.length)).toMatchObject({
      encoding,
      bytesPerFrame: (bits / 8) * 2,
    })
  })

  it('knows the true format of an extensible one', () => {
    const body = Buffer.concat([format(0xfffe, 1, 16_000, 16), Buffer.alloc(24)])
    body.writeUInt16LE(1, 24)
    const file = wav(chunk('fmt ', body), DATA)
    expect(parseWavHeader(file, file.length).encoding).toBe('pcm16')
  })

  it.each([
    ['0, as a dead writer leaves it', 0],
    ['more than there is', 0xffff_ffff],
  ])('takes all that follows when the length is %s', (_title, length) => {
    const file = wav(chunk('fmt ', PCM), chunk('data', Buffer.alloc(8), length))
    expect(parseWavHeader(file, file.length).dataBytes).toBe(8)
  })

  it.each<[string, Buffer]>([
    ['an empty file', Buffer.alloc(0)],
    ['an MP3', Buffer.from('ID3\u0003 and so on and on')],
    ['a head cut short', wav(chunk('fmt ', PCM).subarray(0, 12))],
    ['no format', wav(DATA)],
    ['no data', wav(chunk('fmt ', PCM))],
    ['floating point', wav(chunk('fmt ', format(3, 1, 8000, 32)), DATA)],
    ['no channels', wav(chunk('fmt ', format(1, 0, 8000, 16)), DATA)],
    ['a hundred channels', wav(chunk('fmt ', format(1, 100, 8000, 16)), DATA)],
    ['a rate of zero', wav(chunk('fmt ', format(1, 1, 0, 16)), DATA)],
    ['a rate that is none', wav(chunk('fmt ', format(1, 1, 44_101, 16)), DATA)],
  ])('refuses %s', (_title, file) => {
    expect(() => parseWavHeader(file, file.length)).toThrow(WavFormatError)
  })
})

it('reads the head of a recording', () => {
  expect(parseWavHeader(wavHead(2, 8000, 640), 44 + 640)).toEqual({
    encoding: 'pcm16',
    channels: 2,
    sampleRate: 8000,
    bytesPerFrame: 4,
    dataStart: 44,
    dataBytes: 640,
  })
})

it.each([
  ['pcm8', [0xff], 127 << 8],
  ['pcm8', [0x00], -32_768],
  ['pcm16', [0xfe, 0xff], -2],
  ['pcm24', [0x55, 0x00, 0x80], -32_768],
  ['ulaw', [0x80], 32_124],
  ['alaw', [0x2a], -32_256],
] as const)('reads %s samples', (encoding, bytes, sample) => {
  const facts = { sampleRate: 8000, bytesPerFrame: 1, dataStart: 0, dataBytes: 0 }
  const read = createSampleReader({ encoding, channels: 1, ...facts })
  expect(read(Buffer.from(bytes), 0)).toBe(sample)
  const readStereo = createSampleReader({ encoding, channels: 2, ...facts })
  expect(readStereo(Buffer.from([...bytes, ...bytes]), 0)).toBe(sample)
})
