import { describe, expect, it } from 'vitest'
import { Resampler } from '../../../../../src/lab/media/dsp/resampler.js'
import { rms, sine, toneLevel, toneShare } from '../../../../support/sound/tone.js'

function resample(samples: Int16Array, rate: number): Int16Array {
  const resampler = new Resampler(rate)
  const out: number[] = []
  for (const sample of samples) {
    resampler.push(sample)
    while (!resampler.isHungry) out.push(resampler.pull())
  }
  return Int16Array.from(out)
}

describe.each([
  4000, 8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
])('%i Hz', (rate) => {
  it('keeps a tone at its frequency and level', () => {
    const out = resample(sine(1000, rate, 8000, rate), rate)
    expect(out.length).toBeGreaterThan(7900)
    const middle = out.subarray(400, 7600)
    expect(toneShare(middle, 1000)).toBeGreaterThan(0.999)
    expect(toneLevel(middle, 1000) / 8000).toBeCloseTo(1, 1)
  })
})

it.each([16_000, 44_100, 48_000])('what 8 kHz cannot hold is gone, at %i Hz', (rate) => {
  const out = resample(sine(5500, rate, 8000, rate), rate)
  expect(rms(out.subarray(400))).toBeLessThan(100)
})
