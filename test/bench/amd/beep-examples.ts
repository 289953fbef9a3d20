/**
 * Tones with their labels: whether they are beeps. Voices talk and sing, at other pitches too, and
 * beeps of many kinds come behind what they say.
 */
import { Ears } from '../../../src/voice/amd/amd.js'
import { BEEP_INPUTS, readBeepInput } from '../../../src/voice/amd/detector/beep-input.js'
import { beepOf, PLAIN, UNUSUAL } from './beeps.js'
import { burstOf } from './bursts.js'
import type { Clip } from './clip.js'
import { msOf, SPEECH_DB } from './clips.js'
import { NOISE_LEVELS } from './conditions.js'
import { heldVowel } from './held-vowels.js'
import type { Background } from './noises.js'
import { createRandom, type Random } from './random.js'
import { atLevel, join, RATE, silence } from './signals.js'
import type { Samples } from './speech.js'
import type { Examples } from './train.js'
import { hearing } from './trials.js'

const TALKS = { clips: 400, seed: 901, ms: 20_000 }
const BEEPS = { clips: 700, seed: 902 }
/** Calls in which one sentence is all that is said: little is known of the voice yet. */
const WORDS = { clips: 500, seed: 903, ms: 4000 }
/** Talk with vowels that are sung or shouted. */
const VOWELS = { clips: 240, seed: 904, each: 3, sentenceMs: 1500 }
const FRAME_SAMPLES = 160
const FRAME_MS = 20
/** Plain beeps are the most frequent. */
const SHAPES = [PLAIN, PLAIN, PLAIN, ...UNUSUAL] as const
/** A cheap machine's tone has overtones: the share of the beeps that are distorted, and how much. */
const DISTORTED = { share: 0.3, square: [0.005, 0.08], cube: [0, 0.05] } as const
/** How many sentences are at another pitch, and at which; some voices of the world are further off. */
const PITCH = {
  talks: { share: 0.7, low: 0.7, high: 1.45 },
  beeps: { share: 0.5, low: 0.8, high: 1.25 },
} as const
/** A voice that says less is left out, and so is a shorter sound. */
const FEWEST_SENTENCES = 3
const SHORTEST = 1600

interface Collected {
  readonly inputs: Float32Array[]
  readonly labels: number[]
}

/** `voices` are the sentences of each voice. */
export function beepExamplesOf(
  voices: readonly (readonly Samples[])[],
  background: Background,
  say: (text: string) => void,
): Examples {
  const talkers = voices.map(sentencesOf).filter((one) => one.length >= FEWEST_SENTENCES)
  const collected: Collected = { inputs: [], labels: [] }
  const hearAll = (what: typeof BEEPS, make: (voice: readonly Samples[], r: Random) => Clip) => {
    const random = createRandom(what.seed)
    for (let index = 0; index < what.clips; index++) {
      const clip = make(talkers[index % talkers.length] ?? [], random)
      for (const level of NOISE_LEVELS.keys()) {
        const { heard } = hearing(what.seed, { clip, index }, level, background)
        take(heard, clip.beep, collected)
      }
      if (index % 20 === 19) say(`heard ${index + 1} of ${what.clips} clips`)
    }
  }
  hearAll(TALKS, talkClip)
  hearAll(BEEPS, beepClip)
  hearAll(WORDS, wordClip)
  hearAll(VOWELS, vowelClip)
  const { inputs, labels } = collected
  const none = new Float32Array(BEEP_INPUTS)
  return {
    count: inputs.length,
    labels: Uint8Array.from(labels),
    input: (index) => inputs[index] ?? none,
  }
}

function sentencesOf(recordings: readonly Samples[]): Samples[] {
  return recordings
    .flatMap((one) => burstOf(one)?.samples ?? [])
    .filter((one) => one.length > SHORTEST)
}

/** Takes the tones after speech, but not those after the beep, which nobody awaits. */
function take(heard: Int16Array, beep: Clip['beep'], { inputs, labels }: Collected): void {
  const ears = new Ears(1200, 2000, (run, around, shape) => {
    const startMs = run.startFrame * FRAME_MS
    const endMs = startMs + run.frames * FRAME_MS
    const isBeep = beep !== undefined && startMs < beep.endMs && endMs > beep.startMs
    if (!isBeep && beep !== undefined && startMs >= beep.endMs - 2 * FRAME_MS) return 0
    const input = new Float32Array(BEEP_INPUTS)
    readBeepInput(run, around, shape, input)
    inputs.push(input)
    labels.push(isBeep ? 1 : 0)
    return 0
  })
  for (let at = 0; at < heard.length; at += FRAME_SAMPLES)
    ears.onFrame(heard.subarray(at, at + FRAME_SAMPLES))
}

function talkClip(voice: readonly Samples[], random: Random): Clip {
  const parts: Samples[] = [silence(random.between(0, 1500))]
  for (let spent = 0; spent < TALKS.ms; ) {
    const db = SPEECH_DB + random.between(-4, 4)
    const said = sentence(voice, db, PITCH.talks, random)
    const isLong = random.next() < 0.2
    const gap = silence(isLong ? random.between(700, 1800) : random.between(150, 700))
    parts.push(said, gap)
    spent += msOf(said) + msOf(gap)
  }
  return clipOf('talk', join(parts), [silence(500)], undefined)
}

function wordClip(voice: readonly Samples[], random: Random): Clip {
  const lead = silence(random.between(0, 1500))
  const said = sentence(voice, SPEECH_DB, PITCH.talks, random).subarray(0, (WORDS.ms * RATE) / 1000)
  return clipOf('person', join([lead, said]), [silence(1000)], undefined)
}

function vowelClip(voice: readonly Samples[], random: Random): Clip {
  const parts: Samples[] = [silence(random.between(0, 1000))]
  for (let i = 0; i < VOWELS.each; i++) {
    const said = sentence(voice, SPEECH_DB + random.between(-4, 4), PITCH.talks, random)
    const isJoined = random.next() < 0.3
    const isFollowed = random.next() < 0.4
    parts.push(
      said.subarray(0, (VOWELS.sentenceMs * RATE) / 1000),
      silence(isJoined ? 0 : random.between(20, 500)),
      atLevel(heldVowel(random), SPEECH_DB + random.between(-6, 6)),
      silence(isFollowed ? 0 : random.between(100, 900)),
    )
  }
  return clipOf('talk', join(parts), [silence(500)], undefined)
}

function beepClip(voice: readonly Samples[], random: Random): Clip {
  const lead = silence(random.between(0, 1500))
  const sentences = random.next() < 0.12 ? 0 : random.pick([1, 1, 2])
  const said = Array.from({ length: sentences }, () => [
    sentence(voice, SPEECH_DB, PITCH.beeps, random),
    silence(random.between(80, 600)),
  ]).flat()
  const before = join([lead, ...said, silence(random.between(0, 1200))])
  const shape = random.pick(SHAPES)
  const beep = distorted(atGain(beepOf(shape, random), random.between(-6, 6)), random)
  const startMs = msOf(before)
  const place = { startMs, endMs: startMs + msOf(beep), shape }
  return clipOf('machine', before, [beep, silence(2000)], place)
}

function clipOf(
  kind: Clip['kind'],
  said: Samples,
  after: readonly Samples[],
  beep: Clip['beep'],
): Clip {
  const speechMs = msOf(said)
  return {
    kind,
    source: 'beep examples',
    audio: join([said, ...after]),
    decidedMs: speechMs,
    beep,
    speechStartMs: 0,
    speechEndMs: speechMs,
    speechMs,
  }
}

function sentence(
  voices: readonly Samples[],
  db: number,
  { share, low, high }: (typeof PITCH)['talks' | 'beeps'],
  random: Random,
): Samples {
  const said = random.pick(voices)
  const pitch = random.next() < share ? random.between(low, high) : 1
  return atLevel(pitch === 1 ? said : faster(said, pitch), db)
}

/** The samples at another speed, and so at another pitch. */
function faster(samples: Samples, speed: number): Samples {
  return Float64Array.from({ length: Math.floor(samples.length / speed) }, (_, i) => {
    const at = Math.floor(i * speed)
    const part = i * speed - at
    return (samples[at] ?? 0) * (1 - part) + (samples[at + 1] ?? 0) * part
  })
}

function atGain(samples: Samples, db: number): Samples {
  return samples.map((one) => one * 10 ** (db / 20))
}

function distorted(samples: Samples, random: Random): Samples {
  if (random.next() >= DISTORTED.share) return samples
  const square = random.between(...DISTORTED.square)
  const cube = random.between(...DISTORTED.cube)
  const peak = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 1e-9)
  return samples.map((one) => one + peak * (square * (one / peak) ** 2 + cube * (one / peak) ** 3))
}
