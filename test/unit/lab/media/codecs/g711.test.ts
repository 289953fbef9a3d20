import { describe, expect, it } from 'vitest'
import { encode, PCMA, PCMU } from '../../../../../src/lab/media/codecs/g711.js'
import { decodeSample, encodeSample } from '../../../../support/media/rtp-g711.js'

const CODES = Array.from({ length: 256 }, (_, code) => code)

describe.each([PCMU, PCMA])('$name', (codec) => {
  it('decodes all codes as the recommendation computes them', () => {
    for (const code of CODES)
      expect(codec.toLinear[code], `code ${code}`).toBe(decodeSample(codec.name, code) + 0)
  })

  it('gives every code back', () => {
    for (const code of CODES) {
      const sample = codec.toLinear[code] ?? 0
      // µ-law has two zeros; the positive one is sent.
      const expected = codec === PCMU && code === 0x7f ? 0xff : code
      expect(codec.fromLinear[sample & 0xffff], `code ${code}`).toBe(expected)
    }
  })

  // Where segments meet, the recommendation's decision values are not in the middle.
  it('takes the nearest code, or at a segment border the one beside it', () => {
    const values = [...codec.toLinear].sort((a, b) => a - b)
    for (let sample = -32_768; sample <= 32_767; sample += 41) {
      const decoded = codec.toLinear[codec.fromLinear[sample & 0xffff] ?? 0] ?? 0
      const nearest = decodeSample(codec.name, encodeSample(codec.name, sample))
      const steps = Math.abs(values.lastIndexOf(decoded) - values.lastIndexOf(nearest))
      expect(steps, `sample ${sample}`).toBeLessThanOrEqual(1)
    }
  })
})

it.each([
  ['PCMU', 0, 0xff],
  ['PCMU', 32_124, 0x80],
  ['PCMU', -32_124, 0x00],
  ['PCMU', 32_767, 0x80],
  ['PCMU', -32_768, 0x00],
  ['PCMU', 8, 0xfe],
  ['PCMU', -8, 0x7e],
  ['PCMA', 0, 0xd5],
  ['PCMA', 8, 0xd5],
  ['PCMA', -8, 0x55],
  ['PCMA', 32_256, 0xaa],
  ['PCMA', -32_256, 0x2a],
  ['PCMA', 32_767, 0xaa],
  ['PCMA', -32_768, 0x2a],
] as const)('%s encodes %i as known', (name, sample, code) => {
  const into = new Uint8Array(3)
  encode(name === 'PCMU' ? PCMU : PCMA, Int16Array.of(sample), into, 1, 1)
  expect([...into]).toEqual([0, code, 0])
})
