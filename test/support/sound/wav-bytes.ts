import { wavHead } from '../../../src/platform/audio/wav-head.js'
import { RATE, sine } from './tone.js'

/** A WAV file of a tone: 8 kHz, 16 bits, mono. */
export function toneWav(hz: number, seconds: number): Buffer {
  const samples = sine(hz, Math.round(RATE * seconds))
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return Buffer.concat([wavHead(1, RATE, data.length), data])
}
