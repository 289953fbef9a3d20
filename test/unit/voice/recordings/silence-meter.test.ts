import { describe, expect, it } from 'vitest'
import { createSilenceMeter } from '../../../../src/voice/recordings/silence-meter.js'

const RATE = 8_000

function samples(ms: number, at: (index: number) => number): Buffer {
  const audio = Buffer.alloc((2 * RATE * ms) / 1_000)
  for (let i = 0; i < audio.length / 2; i++) audio.writeInt16LE(Math.round(at(i)), 2 * i)
  return audio
}

const silence = (ms: number) => samples(ms, () => 0)
const tone = (ms: number, amplitude: number) =>
  samples(ms, (i) => amplitude * Math.sin((2 * Math.PI * 440 * i) / RATE))

/** The same every time; its RMS is what is asked for. */
function noise(ms: number, rms: number): Buffer {
  let state = 1
  return samples(ms, () => {
    state = (state * 48_271) % 2_147_483_647
    return (state / 1_073_741_823 - 1) * rms * Math.sqrt(3)
  })
}

function silentAfter(...heard: readonly Buffer[]): number {
  const meter = createSilenceMeter()
  for (const audio of heard) meter.add(audio)
  return meter.silentMs
}

describe('the silence of a line', () => {
  it('counts from the start where nobody speaks', () => {
    expect(silentAfter(silence(5_000))).toBe(5_000)
  })

  it('counts from the last word', () => {
    expect(silentAfter(tone(2_000, 3_000), silence(700))).toBe(700)
  })

  it('hears a low voice, and one that goes on for a minute', () => {
    expect(silentAfter(tone(500, 400))).toBe(0)
    expect(silentAfter(tone(60_000, 3_000))).toBe(0)
  })

  it('takes no click for a word', () => {
    expect(silentAfter(silence(1_000), tone(40, 20_000), silence(1_000))).toBe(2_040)
  })

  it('counts the noise of the line as silence, faint at once and loud after a while', () => {
    expect(silentAfter(noise(3_000, 80))).toBe(3_000)
    expect(silentAfter(noise(20_000, 300))).toBeGreaterThan(5_000)
  })

  it('hears speech above that noise', () => {
    const noisy = noise(20_000, 300)
    const meter = createSilenceMeter()
    meter.add(noisy)
    meter.add(tone(200, 3_000))
    expect(meter.silentMs).toBe(0)
  })

  it('counts time for which nothing was sent', () => {
    const meter = createSilenceMeter()
    meter.add(tone(1_000, 3_000))
    meter.addGap(1_000)
    meter.addGap(200)
    expect(meter.silentMs).toBe(1_200)
  })
})
