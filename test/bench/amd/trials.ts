/**
 * Runs every clip under every noise level through the detector in both modes and through the
 * baseline.
 */
import { createDetector, type DetectorParams, Ears } from '../../../src/voice/amd/amd.js'
import { fixedThreshold, type Verdict } from './baseline.js'
import type { Clip } from './clip.js'
import type { ClipList } from './clip-list.js'
import { type Condition, conditionOf, degrade, NOISE_LEVELS } from './conditions.js'
import type { Background } from './noises.js'
import { createRandom } from './random.js'

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const BATCH = 50

export interface Trial {
  /** The clip's place in its set. */
  readonly index: number
  readonly clip: Omit<Clip, 'audio'>
  readonly condition: Condition
  readonly audioMs: number
  readonly enable: Verdict
  readonly messageEnd: Verdict
  readonly baseline: Verdict
  /**
   * The times of the beeps that were heard, whatever the verdict; each is the time at which the
   * beep was certain.
   */
  readonly beepsMs: readonly number[]
}

export const DEFAULTS: Omit<DetectorParams, 'mode'> = {
  timeoutMs: 30_000,
  speechThresholdMs: 2400,
  speechEndThresholdMs: 1200,
  silenceTimeoutMs: 5000,
}

/** Hears each clip, or each `every`-th one, at every noise level. */
export function runTrials(
  seed: number,
  { clips, background }: ClipList,
  progress: (text: string) => void,
  every = 1,
): readonly Trial[] {
  const trials: Trial[] = []
  for (const [index, clip] of clips.entries()) {
    if (index % every !== 0) continue
    for (const level of NOISE_LEVELS.keys()) {
      const { condition, heard } = hearing(seed, { clip, index }, level, background)
      trials.push({ index, ...tryOne(clip, condition, heard) })
    }
    if (index % BATCH === BATCH - 1) progress(`listening: ${index + 1} of ${clips.length} clips`)
  }
  return trials
}

export interface HeardClip {
  readonly condition: Condition
  readonly heard: Int16Array
}

/** The clip as it is heard at a noise level, which is an index of NOISE_LEVELS. */
export function hearing(
  seed: number,
  { clip, index }: { readonly clip: Clip; readonly index: number },
  level: number,
  background: Background,
): HeardClip {
  const random = createRandom(seed + 10 * index + level)
  const condition = conditionOf(NOISE_LEVELS[level] ?? 'clean', random)
  return { condition, heard: degrade(clip, condition, background, random) }
}

function tryOne(
  { audio: _audio, ...clip }: Clip,
  condition: Condition,
  heard: Int16Array,
): Omit<Trial, 'index'> {
  return {
    clip,
    condition,
    audioMs: (heard.length / FRAME_SAMPLES) * FRAME_MS,
    enable: detect(heard, 'enable'),
    messageEnd: detect(heard, 'detect-message-end'),
    baseline: fixedThreshold(heard, { mode: 'enable', ...DEFAULTS }),
    beepsMs: beepsIn(heard),
  }
}

/** The verdict of a mode with its default parameters. */
export function detect(heard: Int16Array, mode: DetectorParams['mode']): Verdict {
  const detector = createDetector({ mode, ...DEFAULTS })
  for (let at = 0; at < heard.length; at += FRAME_SAMPLES) {
    const events = detector.push(heard.subarray(at, at + FRAME_SAMPLES))
    for (const event of events)
      if (event.type === 'verdict') return { answeredBy: event.answeredBy, atMs: event.atMs }
  }
  const [last] = detector.end()
  return { answeredBy: detector.answeredBy ?? 'unknown', atMs: last?.atMs ?? 0 }
}

function beepsIn(heard: Int16Array): number[] {
  const ears = new Ears(DEFAULTS.speechEndThresholdMs, 2000)
  const beeps: number[] = []
  for (let at = 0; at < heard.length; at += FRAME_SAMPLES) {
    ears.onFrame(heard.subarray(at, at + FRAME_SAMPLES))
    if (ears.hearing.tone === 'beep') beeps.push(ears.hearing.elapsedMs)
  }
  return beeps
}
