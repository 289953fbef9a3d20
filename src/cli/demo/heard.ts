import { readFileSync } from 'node:fs'

/** What a recording of the lab holds; its format is 8 kHz, 16 bit. */
export interface Heard {
  readonly file: string
  readonly seconds: number
  /** The seconds of the recording that are not silence. */
  readonly speechSeconds: number
}

const RATE = 8_000
const FRAME = 160
/** The threshold of speech, about −40 dB of full scale: above line noise, below any speech. */
const SPEECH_RMS = 300

export function readHeard(file: string): Heard {
  const bytes = readFileSync(file)
  const channels = bytes.readUInt16LE(22)
  const data = bytes.subarray(bytes.indexOf('data') + 8)
  const samples = Math.floor(data.length / 2)
  const frame = FRAME * channels
  let loud = 0
  for (let start = 0; start + frame <= samples; start += frame) {
    let energy = 0
    for (let index = start; index < start + frame; index++)
      energy += data.readInt16LE(index * 2) ** 2
    if (Math.sqrt(energy / frame) > SPEECH_RMS) loud += 1
  }
  return { file, seconds: samples / channels / RATE, speechSeconds: (loud * FRAME) / RATE }
}
