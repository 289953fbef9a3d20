import { describe, expect, it } from 'vitest'
import { playedTone } from '../../bench/recording-times.js'
import { toneWav } from '../../support/sound/wav-bytes.js'

/** Of two channels: silence, and the tone. */
function dual(change: (tone: Int16Array) => void): Buffer {
  const mono = toneWav(440, 1)
  const tone = Int16Array.from({ length: 8_000 }, (_, index) => mono.readInt16LE(44 + 2 * index))
  change(tone)
  const wav = Buffer.alloc(44 + 4 * tone.length)
  mono.copy(wav, 0, 0, 44)
  wav.writeUInt16LE(2, 22)
  tone.forEach((sample, index) => wav.writeInt16LE(sample, 46 + 4 * index))
  return wav
}

describe('the gaps in a recording of a steady tone', () => {
  it.each([
    ['of a whole one', () => undefined, { ms: 1_000, gaps: 0 }],
    [
      'that lacks one block',
      (tone: Int16Array) => tone.fill(0, 3_200, 3_360),
      { ms: 1_000, gaps: 1 },
    ],
    ['that lacks 100 ms', (tone: Int16Array) => tone.fill(0, 1_600, 2_400), { ms: 1_000, gaps: 5 }],
    ['that began late', (tone: Int16Array) => tone.fill(0, 0, 4_000), { ms: 500, gaps: 0 }],
    ['without the tone', (tone: Int16Array) => tone.fill(0), { ms: 0, gaps: 0 }],
  ])('%s', (_title, change, expected) => {
    expect(playedTone(dual(change))).toEqual(expected)
  })
})
