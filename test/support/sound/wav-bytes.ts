import { wavHead } from '../../../src/platform/audio/wav-head.js'
import { RATE, sine } from './tone.js'

/** A WAV file with a tone: 8 kHz, 16 bit, mono. */
export function toneWav(hz: number, seconds: number): Buffer {
  const samples = sine(hz, Math.round(RATE * seconds))
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return Buffer.concat([wavHead(1, RATE, data.length), data])
}

/** Like `toneWav`, with two channels of one tone each. */
export function stereoWav(firstHz: number, secondHz: number, seconds: number): Buffer {
  const count = Math.round(RATE * seconds)
  const [first, second] = [sine(firstHz, count), sine(secondHz, count)]
  const data = Buffer.alloc(4 * count)
  for (let index = 0; index < count; index += 1) {
    data.writeInt16LE(first[index] ?? 0, 4 * index)
    data.writeInt16LE(second[index] ?? 0, 4 * index + 2)
  }
  return Buffer.concat([wavHead(2, RATE, data.length), data])
}
