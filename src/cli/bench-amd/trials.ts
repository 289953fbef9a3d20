/**
 * Runs every clip under every noise level through the detector in both modes and through the
 * baseline.
 */
import { createDetector, type DetectorParams, Ears } from '../../voice/amd/amd.js'
import { fixedThreshold, type Verdict } from './baseline.js'
import type { Clip } from './clip.js'
import { speakClip, spokenOf } from './clips.js'
import { type Condition, conditionOf, degrade, NOISE_LEVELS } from './conditions.js'
import { createRandom } from './random.js'
import type { ClipSet } from './sets/clip-set.js'
import type { Samples, Speech } from './speech.js'
import { musicClips, musicOf, toneClips } from './tone-clips.js'

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const BATCH = 50

export interface Trial {
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

/** Makes the set's clips, the same each time. */
export async function prepareClips(
  set: ClipSet,
  speech: Speech,
  progress: (text: string) => void,
): Promise<{ readonly clips: readonly Clip[]; readonly background: readonly Samples[] }> {
  const random = createRandom(set.seed)
  const spoken = spokenOf(set, random)
  const music = musicOf(set.seed)
  const sentences = [...spoken.map((one) => one.sentence), ...music]
  await speech.prepare(sentences, (done) => {
    progress(`speaking: ${(100 * done).toFixed(0)} %`)
  })
  const clips = [
    ...spoken.map((one) => speakClip(one, speech, random)),
    ...toneClips(random),
    ...musicClips(music, speech, random),
  ]
  const background = spoken
    .filter((one) => one.kind === 'machine')
    .map((one) => speech.read(one.sentence))
  return { clips, background }
}

export async function runTrials(
  set: ClipSet,
  speech: Speech,
  progress: (text: string) => void,
): Promise<readonly Trial[]> {
  const { clips, background } = await prepareClips(set, speech, progress)
  const trials: Trial[] = []
  for (const [index, clip] of clips.entries()) {
    for (const [level, snr] of NOISE_LEVELS.entries()) {
      const random = createRandom(set.seed + 10 * index + level)
      const condition = conditionOf(snr, index + level, random)
      trials.push(tryOne(clip, condition, degrade(clip, condition, background, random)))
    }
    if (index % BATCH === BATCH - 1) progress(`listening: ${index + 1} of ${clips.length} clips`)
  }
  return trials
}

function tryOne({ audio: _audio, ...clip }: Clip, condition: Condition, heard: Int16Array): Trial {
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

function detect(heard: Int16Array, mode: DetectorParams['mode']): Verdict {
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
  const ears = new Ears(DEFAULTS.speechEndThresholdMs)
  const beeps: number[] = []
  for (let at = 0; at < heard.length; at += FRAME_SAMPLES) {
    ears.onFrame(heard.subarray(at, at + FRAME_SAMPLES))
    if (ears.hearing.tone === 'beep') beeps.push(ears.hearing.elapsedMs)
  }
  return beeps
}
