import { describe, expect, it } from 'vitest'
import { halveRate, synthesise } from '../../../../src/lab/phones/speech/flite.js'

const tone = (hz: number, rate: number, samples: number): Int16Array =>
  Int16Array.from({ length: samples }, (_, n) => 8000 * Math.sin((2 * Math.PI * hz * n) / rate))
const rms = (pcm: Int16Array): number =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length)

describe('halveRate', () => {
  it.each([300, 1000, 2000, 3000])('keeps %i Hz', (hz) => {
    const halved = halveRate(tone(hz, 16_000, 16_000))
    expect(halved.length).toBe(8000)
    expect(rms(halved)).toBeCloseTo(8000 / Math.SQRT2, -3)
  })

  it.each([5500, 6500, 7500])('removes %i Hz', (hz) => {
    expect(rms(halveRate(tone(hz, 16_000, 16_000)))).toBeLessThan(100)
  })
})

describe('synthesise', () => {
  it('speaks each sentence at 8 kHz, without a word about experiments', async () => {
    const warnings: Error[] = []
    const listener = (warning: Error): number => warnings.push(warning)
    process.on('warning', listener)
    const [long, short] = await synthesise(['Hello, this is a test.', 'Yes.'])
    process.off('warning', listener)
    expect(long?.length).toBeGreaterThan(8000)
    expect(short?.length).toBeLessThan(12_000)
    expect(rms(long ?? new Int16Array())).toBeGreaterThan(500)
    expect(warnings).toEqual([])
  })
})
