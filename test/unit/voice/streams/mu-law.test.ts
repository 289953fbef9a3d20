import { expect, it } from 'vitest'
import { decodeMuLaw, encodeMuLaw } from '../../../../src/voice/audio/mu-law.js'
import { decodeSample } from '../../../support/media/rtp-g711.js'

const ALL = Uint8Array.from({ length: 256 }, (_, code) => code)

it('decodes every code as the recommendation has it', () => {
  const bytes = decodeMuLaw(ALL)
  for (const code of ALL) expect(bytes.readInt16LE(2 * code)).toBe(decodeSample('PCMU', code) + 0)
})

it('encodes what it decodes to the same value, one channel of several', () => {
  const mono = decodeMuLaw(ALL)
  const bytes = Buffer.alloc(4 * ALL.length)
  for (const code of ALL) bytes.writeInt16LE(mono.readInt16LE(2 * code), 4 * code + 2)
  const target = new Uint8Array(ALL.length)
  encodeMuLaw(bytes, { offset: 2, stride: 4 }, target)
  expect(decodeMuLaw(target)).toEqual(mono)
})

it('is never further away than half a step', () => {
  for (let sample = -32_000; sample <= 32_000; sample += 37) {
    const bytes = Buffer.alloc(2)
    bytes.writeInt16LE(sample)
    const target = new Uint8Array(1)
    encodeMuLaw(bytes, { offset: 0, stride: 2 }, target)
    const heard = decodeSample('PCMU', target[0] ?? 0)
    // Sixteen steps a chord, each chord twice as wide as the one before.
    expect(Math.abs(heard - sample)).toBeLessThanOrEqual((Math.abs(sample) + 132) / 32 + 1)
  }
})
