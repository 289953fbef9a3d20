import { wavHead } from '../../platform/audio/wav-head.js'

const RATE = 8_000
const FREQUENCY = 440
const AMPLITUDE = 8_000

/** Makes a WAV file of a steady tone: 8 kHz, 16 bit, mono. */
export function toneWav(seconds: number): Buffer {
  const samples = Math.round(RATE * seconds)
  const data = Buffer.alloc(2 * samples)
  for (let index = 0; index < samples; index += 1) {
    const value = AMPLITUDE * Math.sin((2 * Math.PI * FREQUENCY * index) / RATE)
    data.writeInt16LE(Math.round(value), 2 * index)
  }
  return Buffer.concat([wavHead(1, RATE, data.length), data])
}
