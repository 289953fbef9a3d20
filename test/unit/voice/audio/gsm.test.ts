/**
 * The `.s16` files are what SoX, another implementation, made of the file beside them: 16 bit,
 * little-endian. `gsm-any-frames` has random bits behind each frame's signature, so that every table
 * and every saturation is met; `gsm-sweep.wav` is format 49, 200 to 3000 Hz.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readGsm } from '../../../../src/voice/audio/gsm.js'
import { toTelephoneWav } from '../../../../src/voice/audio/to-telephone.js'
import { readWav } from '../../../../src/voice/audio/wav.js'
import { levelOf, telephoneSamples } from '../../../support/sound/sound.js'

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/markup', name))

it.each([
  ['gsm-any-frames', '.gsm', readGsm],
  ['gsm-sweep', '.wav', readWav],
] as const)('%s%s is decoded to the bit as another implementation does', (name, ending, read) => {
  const expected = fixture(`${name}.s16`)
  const samples = [...read(fixture(`${name}${ending}`))].flatMap((block) => [...block.samples])
  expect(samples.length).toBe(expected.length / 2)
  expect(samples.map((sample) => sample * 32_768)).toEqual(
    samples.map((_, index) => expected.readInt16LE(index * 2)),
  )
})

describe('a file of GSM frames', () => {
  it('is heard as its tone', async () => {
    const samples = telephoneSamples(
      await toTelephoneWav(fixture('tone-1000hz.gsm'), 'gsm', 60_000),
    )
    expect(samples.length).toBe(4000)
    expect(levelOf(1000, samples, 8000)).toBeCloseTo(0.5, 1)
    expect(levelOf(2000, samples, 8000)).toBeLessThan(0.03)
  })

  it('cut within a frame ends with the frame before', async () => {
    const file = fixture('tone-1000hz.gsm').subarray(0, 33 * 3 + 20)
    expect(telephoneSamples(await toTelephoneWav(file, 'gsm', 60_000)).length).toBe(480)
  })
})
