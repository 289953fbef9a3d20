/**
 * Syllables made of numbers: harmonics of a falling pitch around a formant. They teach the network
 * what voices of any engine and line have in common.
 */
import type { Clip } from './clip.js'
import { leadOf, msOf, SPEECH_DB } from './clips.js'
import type { Random } from './random.js'
import { atLevel, join, RATE, silence } from './signals.js'
import type { Samples } from './speech.js'

const CLIPS = 60
const HARMONICS = 20

export function syllableClips(random: Random): Clip[] {
  return Array.from({ length: CLIPS }, (_, i) => {
    const lead = leadOf(random)
    const said = atLevel(
      syllables(i % 2 === 0 ? random.between(400, 2000) : 7000, random),
      SPEECH_DB,
    )
    const endMs = msOf(lead) + msOf(said)
    return {
      kind: i % 2 === 0 ? 'person' : 'talk',
      source: 'syllables',
      audio: join([lead, said, silence(4000)]),
      decidedMs: endMs,
      beep: undefined,
      speechStartMs: msOf(lead),
      speechEndMs: endMs,
      speechMs: msOf(said),
    }
  })
}

function syllables(ms: number, random: Random): Samples {
  const pitch = random.between(85, 260)
  const parts: Samples[] = []
  for (let spent = 0; spent < ms; ) {
    const one = syllable(random.between(110, 220), pitch * random.between(0.9, 1.2), random)
    const gap = silence(random.between(30, 90))
    parts.push(one, gap)
    spent += msOf(one) + msOf(gap)
  }
  return join(parts)
}

function syllable(ms: number, pitch: number, random: Random): Samples {
  const formant = random.between(2, 8)
  const steep = random.between(0.3, 0.8)
  const fall = random.between(0, 0.35)
  const loud = random.between(0.5, 1)
  let phase = 0
  const shape = silence(ms)
  return shape.map((_, i) => {
    const at = i / shape.length
    phase += (2 * Math.PI * pitch * (1.15 - fall * at)) / RATE
    let sum = 0
    for (let harmonic = 1; harmonic <= HARMONICS && harmonic * pitch < 3800; harmonic++)
      sum += Math.sin(harmonic * phase) / (1 + steep * Math.abs(harmonic - formant))
    return loud * Math.sin(Math.PI * at) * sum
  })
}
