/** Frames of the tuning part with their labels: whether the one who answered speaks in them. */
import { FRAME_SAMPLES, Spectrum } from '../../../src/voice/amd/detector/spectrum.js'
import { INPUTS, LOOKAHEAD, VoiceInput } from '../../../src/voice/amd/detector/voice-input.js'
import type { Clip } from './clip.js'
import type { ClipList } from './clip-list.js'
import { createRandom } from './random.js'
import { power } from './signals.js'
import { syllableClips } from './syllables.js'
import type { Examples } from './train.js'
import { hearing } from './trials.js'

/** A frame is speech when the clean clip is within this many dB of its loudest frames. */
const DEPTH_DB = 28
/** Shorter gaps within speech are speech. */
const GAP_FRAMES = 6
/** Every so many frames are taken, so that neighbours do not teach the same twice. */
const STRIDE = 6
/** The noise levels of a clip: one of the softer and both of the louder. */
const LEVELS = [
  [0, 2, 3],
  [1, 2, 3],
] as const
const MOST_FRAMES = 600
/** Each clip is heard twice, in other rooms and noises. */
const ROUNDS = 2
const ROUND_SEED = 1_000_003
const SPOKEN = new Set(['person', 'person-long', 'machine', 'machine-short', 'talk'])

/** `more` are clips of voices that are in no part of the bench. */
export function examplesOf(
  seed: number,
  list: ClipList,
  more: readonly Clip[],
  say: (text: string) => void,
): Examples {
  const inputs: Float32Array[] = []
  const labels: number[] = []
  const clips = [...list.clips, ...syllableClips(createRandom(seed)), ...more]
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, clip] of clips.entries()) {
      const isSpeech = speechIn(clip)
      for (const level of LEVELS[index % LEVELS.length] ?? []) {
        const roundSeed = seed + round * ROUND_SEED
        const { heard } = hearing(roundSeed, { clip, index }, level, list.background)
        take(heard, isSpeech, inputs, labels, index)
      }
      if (index % 50 === 49) say(`round ${round + 1}: heard ${index + 1} of ${clips.length} clips`)
    }
  const none = new Float32Array(INPUTS)
  return {
    count: inputs.length,
    labels: Uint8Array.from(labels),
    input: (index) => inputs[index] ?? none,
  }
}

function take(
  heard: Int16Array,
  isSpeech: Uint8Array,
  inputs: Float32Array[],
  labels: number[],
  phase: number,
): void {
  const spectrum = new Spectrum()
  const input = new VoiceInput()
  const frames = Math.min(MOST_FRAMES, heard.length / FRAME_SAMPLES)
  for (let frame = 0; frame < frames; frame++) {
    spectrum.onFrame(heard.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES))
    input.onFrame(spectrum.power)
    const judged = frame - LOOKAHEAD
    if (judged < 0 || (judged + phase) % STRIDE !== 0) continue
    inputs.push(input.vector.slice())
    labels.push(isSpeech[judged] ?? 0)
  }
}

function speechIn(clip: Clip): Uint8Array {
  const frames = Math.floor(clip.audio.length / FRAME_SAMPLES)
  const isSpeech = new Uint8Array(frames)
  if (!SPOKEN.has(clip.kind)) return isSpeech
  const levels = Float64Array.from(
    isSpeech,
    (_, i) =>
      10 * Math.log10(power(clip.audio, i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES) + 1e-10),
  )
  const end = Math.ceil(clip.speechEndMs / 20)
  const loud = levels.slice(0, end).toSorted().at(-6) ?? 0
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < end && i < frames; i++) {
    if ((levels[i] ?? 0) < loud - DEPTH_DB) continue
    if (i - last <= GAP_FRAMES) isSpeech.fill(1, Math.max(0, last), i)
    isSpeech[i] = 1
    last = i
  }
  return isSpeech
}
