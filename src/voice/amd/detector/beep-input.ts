/**
 * The inputs of the beep network about a tone that ended after speech: the tone itself, its shape, and how it
 * differs from the audio before, beside and after it.
 */
import { FRAME_MS } from './spectrum.js'
import type { ToneRun } from './tone-run.js'
import { type Band, OVERTONES, type ToneShape } from './tone-shape.js'

/** Frames before a tone whose voice likelihood is an input. */
export const LIKELY_BEFORE_FRAMES = 300 / FRAME_MS
/** Last frames of the tone whose voice likelihood is combined with that of the frames after it. */
export const LIKELY_AFTER_FRAMES = 80 / FRAME_MS

/** The audio around a tone. Levels are in dB relative to full scale. */
export interface Around {
  /** The level of the 60 ms before it; undefined when the audio began with it. */
  readonly beforeDb: number | undefined
  /** The level of the quarter of a second before it. */
  readonly earlierDb: number
  /** The level just after it. */
  readonly afterDb: number
  /** The share of the frames just after it that are louder than the silence after a beep. */
  readonly loudAfter: number
  /** Number of frames in the three seconds before it that are nearly as loud and not a voice. */
  readonly loudBefore: number
  /** The level of a voice that is certainly not in the background; −Infinity when there is none. */
  readonly voiceDb: number
  /** The mean voice likelihood of its frames, 0 to 1. */
  readonly likelihood: number
  /** The mean voice likelihood of the frames just before it, and of those around its end. */
  readonly likelyBefore: number
  readonly likelyAfter: number
}

const SILENCE_DB = -90
/** Range of level differences in dB; differences beyond it carry no information. */
const NEAR_DB = -10
const FAR_DB = 40

/** An input value, with its approximate mean and spread in the training data. */
interface Feature<Of extends readonly unknown[]> {
  readonly mean: number
  readonly spread: number
  readonly value: (...of: Of) => number
}

/** Inputs from the tone and the audio around it. */
const OUTSIDE: readonly Feature<[ToneRun, Around]>[] = [
  { mean: 3.7, spread: 0.75, value: ({ frames }) => Math.log2(frames) },
  { mean: 0.83, spread: 0.16, value: ({ sounding, frames }) => sounding / frames },
  { mean: 9.3, spread: 0.6, value: ({ first }) => Math.log2(first) },
  { mean: 0.5, spread: 0.5, value: ({ second }) => (second > 0 ? 1 : 0) },
  { mean: 3.7, spread: 1.5, value: ({ wobbleHz }) => wobbleHz },
  { mean: 7.3, spread: 3.8, value: ({ bendHz }) => Math.min(12, bendHz) },
  { mean: 0.65, spread: 0.55, value: ({ flutterDb }) => flutterDb },
  { mean: -0.4, spread: 1, value: ({ slopeDb }) => within(slopeDb, -3, 3) },
  { mean: 0.85, spread: 0.09, value: ({ share }) => within(share, 0.6, 1.2) },
  { mean: -2.3, spread: 1, value: ({ noise }) => Math.log10(within(noise, 1e-4, 3)) },
  {
    mean: 8,
    spread: 6,
    value: ({ levelDb, besideDb }) => within(levelDb - besideDb, NEAR_DB / 2, FAR_DB),
  },
  {
    mean: 10,
    spread: 13,
    value: ({ levelDb }, { beforeDb = SILENCE_DB }) => within(levelDb - beforeDb, NEAR_DB, FAR_DB),
  },
  {
    mean: 11,
    spread: 14,
    value: ({ levelDb }, { earlierDb }) => within(levelDb - earlierDb, NEAR_DB, FAR_DB),
  },
  {
    mean: -5,
    spread: 7.5,
    value: ({ peakDb }, { voiceDb }) =>
      within(peakDb - Math.max(SILENCE_DB, voiceDb), 3 * NEAR_DB, FAR_DB),
  },
  {
    mean: 2,
    spread: 12,
    value: ({ besideDb }, { beforeDb = SILENCE_DB }) => within(besideDb - beforeDb, -20, 30),
  },
  { mean: 0.5, spread: 0.4, value: (_, { likelihood }) => likelihood },
  { mean: 0.4, spread: 0.33, value: (_, { likelyBefore }) => likelyBefore },
  { mean: 0.5, spread: 0.37, value: (_, { likelyAfter }) => likelyAfter },
  {
    mean: 12,
    spread: 14,
    value: ({ levelDb }, { afterDb }) => within(levelDb - afterDb, NEAR_DB, FAR_DB),
  },
  { mean: 0.2, spread: 0.35, value: (_, { loudAfter }) => loudAfter },
  { mean: 8, spread: 18, value: (_, { loudBefore }) => Math.min(80, loudBefore) },
  { mean: -26, spread: 8, value: ({ levelDb }) => within(levelDb, -50, 0) },
  { mean: 3.5, spread: 2, value: ({ peakDb, levelDb }) => within(peakDb - levelDb, 0, 12) },
]

const BANDS: readonly ((shape: ToneShape) => Band | undefined)[] = [
  ...OVERTONES.map(
    (_, at) =>
      ({ overtones }: ToneShape) =>
        overtones[at],
  ),
  ({ low }) => low,
]

const INSIDE: readonly Feature<[ToneShape]>[] = [
  ...BANDS.map((bandOf) => ({
    mean: -28,
    spread: 10,
    value: (shape: ToneShape) => within(bandOf(shape)?.besideDb ?? SILENCE_DB, -50, 10),
  })),
  ...BANDS.map((bandOf) => ({
    mean: 5,
    spread: 10,
    value: (shape: ToneShape) => within(bandOf(shape)?.aboveDb ?? 0, NEAR_DB, FAR_DB),
  })),
  { mean: 3, spread: 4, value: ({ frequency }) => Math.min(20, Math.abs(frequency.slope)) },
  { mean: 5, spread: 5, value: ({ frequency }) => Math.min(20, frequency.off) },
  { mean: 0, spread: 1, value: ({ level }) => within(level.slope, -2, 2) },
  { mean: 2, spread: 2, value: ({ level }) => Math.min(6, level.off) },
  { mean: 2, spread: 3, value: ({ risingFrames }) => Math.min(8, risingFrames) },
  { mean: 2, spread: 3, value: ({ fallingFrames }) => Math.min(8, fallingFrames) },
  { mean: 2, spread: 2, value: ({ ringingFrames }) => Math.min(6, ringingFrames) },
  { mean: -20, spread: 12, value: ({ onsetDb: [before] }) => within(before, -40, 0) },
  { mean: -8, spread: 8, value: ({ onsetDb: [, first] }) => within(first, -30, 0) },
  { mean: -3, spread: 5, value: ({ onsetDb: [, , second] }) => within(second, -20, 3) },
]

export const BEEP_INPUTS = OUTSIDE.length + INSIDE.length

/** Writes the inputs to `into`, which must have BEEP_INPUTS places. */
export function readBeepInput(
  run: ToneRun,
  around: Around,
  shape: ToneShape,
  into: Float32Array,
): void {
  for (const [i, { mean, spread, value }] of OUTSIDE.entries())
    into[i] = (value(run, around) - mean) / spread
  for (const [i, { mean, spread, value }] of INSIDE.entries())
    into[OUTSIDE.length + i] = (value(shape) - mean) / spread
}

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}
