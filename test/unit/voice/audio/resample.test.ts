import { describe, expect, it } from 'vitest'
import { createResampler } from '../../../../src/voice/audio/resample.js'
import { levelOf, rms, tone } from '../../../support/sound/sound.js'

const resample = (input: Float32Array, from: number, piece = input.length): Float32Array => {
  const resampler = createResampler(from, 8000)
  const parts: Float32Array[] = []
  for (let at = 0; at < input.length; at += piece)
    parts.push(resampler.push(input.subarray(at, at + piece)))
  parts.push(resampler.flush())
  return Float32Array.from(parts.flatMap((part) => Array.from(part)))
}

describe.each([
  6000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
])('from %i Hz', (rate) => {
  it('keeps speech, and its length', () => {
    const resampled = resample(tone(1000, rate, 1), rate)
    expect(Math.abs(resampled.length - 8000)).toBeLessThanOrEqual(1)
    expect(levelOf(1000, resampled, 8000)).toBeCloseTo(0.5, 2)
  })

  it('is the same in pieces', () => {
    const input = tone(700, rate, 0.2)
    expect(resample(input, rate, 333)).toEqual(resample(input, rate))
  })
})

it.each([300, 2000, 3000])('passes %i Hz', (hz) => {
  expect(levelOf(hz, resample(tone(hz, 48_000, 0.5), 48_000), 8000)).toBeCloseTo(0.5, 2)
})

it.each([4600, 5000, 7000, 12_000, 20_000])('removes %i Hz instead of folding it back', (hz) => {
  expect(rms(resample(tone(hz, 48_000, 0.5), 48_000).subarray(100, -100))).toBeLessThan(0.001)
})

it('8 kHz passes untouched', () => {
  const input = tone(3900, 8000, 0.1)
  expect(resample(input, 8000)).toEqual(input)
})

it('of nothing is nothing', () => {
  expect(resample(new Float32Array(), 44_100).length).toBe(0)
})
