/** Clips of people and machines made of recorded speech: each voice answers and greets. */

import { type BeepShape, beepOf, PLAIN, UNUSUAL } from './beeps.js'
import { type Burst, burstOf } from './bursts.js'
import type { Clip } from './clip.js'
import { leadOf, msOf, SPEECH_DB } from './clips.js'
import type { Random } from './random.js'
import type { Recording } from './recordings.js'
import { atLevel, join, silence } from './signals.js'
import type { Samples } from './speech.js'

/** A person's burst is shorter, and a machine's longer, than the default SpeechThreshold. */
const PERSON = { minMs: 250, maxMs: 2250 }
const MACHINE_MS = 2450
/** The longest pause within a burst: one of 1.2 s would end it. */
const LONGEST_PAUSE_MS = 900
const PEOPLE_OF_A_VOICE = 9
const MACHINES_OF_A_VOICE = 6

interface Utterance extends Burst {
  readonly name: string
}

/** Makes the clips of one voice. */
export function recordedClips(recordings: readonly Recording[], random: Random): Clip[] {
  const utterances = recordings.flatMap(({ name, samples }) => {
    const burst = burstOf(samples)
    return burst === undefined || burst.longestPauseMs > LONGEST_PAUSE_MS
      ? []
      : [{ ...burst, name, samples: atLevel(burst.samples, SPEECH_DB) }]
  })
  const short = utterances.filter(({ ms }) => ms >= PERSON.minMs && ms <= PERSON.maxMs)
  const sentences = utterances.filter(({ ms }) => ms > 900)
  const people = short.slice(0, PEOPLE_OF_A_VOICE).map((one) => personClip(one, random))
  const machines = sentences.length < 12 ? 0 : MACHINES_OF_A_VOICE
  return [
    ...people,
    ...Array.from({ length: machines }, (_, i) => machineClip(sentences, i, random)),
    ...(machines === 0 ? [] : [talkClip(sentences, random)]),
  ]
}

function personClip({ name, samples, ms }: Utterance, random: Random): Clip {
  const lead = leadOf(random)
  const endMs = msOf(lead) + ms
  return {
    kind: 'person',
    source: name,
    audio: join([lead, samples, silence(4000)]),
    decidedMs: endMs,
    beep: undefined,
    speechStartMs: msOf(lead),
    speechEndMs: endMs,
    speechMs: ms,
  }
}

/**
 * A greeting. Every third one has a first burst that is hardly longer than the threshold, and every
 * second one a pause of more than 1.2 s before it goes on.
 */
function machineClip(sentences: readonly Utterance[], index: number, random: Random): Clip {
  const lead = leadOf(random)
  const first = firstBurst(sentences, index % 3 === 0 ? 3000 : 9000, random)
  const isPaused = index % 2 === 0
  const rest = isPaused ? [silence(random.between(1250, 1800)), random.pick(sentences).samples] : []
  const said = join([...first.parts, ...rest])
  const hasBeep = index % 4 !== 3
  const shape = index % 3 < 2 ? PLAIN : random.pick(UNUSUAL)
  const speechEndMs = msOf(lead) + msOf(said)
  const ending = hasBeep ? ended(shape, speechEndMs, random) : { parts: [], beep: undefined }
  return {
    kind: 'machine',
    source: `${first.name} …`,
    audio: join([lead, said, ...ending.parts, silence(4000)]),
    decidedMs: msOf(lead) + first.ms,
    beep: ending.beep,
    speechStartMs: msOf(lead),
    speechEndMs,
    speechMs: msOf(said),
  }
}

function ended(
  shape: BeepShape,
  speechEndMs: number,
  random: Random,
): { parts: Samples[]; beep: NonNullable<Clip['beep']> } {
  const gap = silence(random.between(100, 1500))
  const beep = beepOf(shape, random)
  const startMs = speechEndMs + msOf(gap)
  return { parts: [gap, beep], beep: { startMs, endMs: startMs + msOf(beep), shape } }
}

/** Joins sentences until the burst is longer than the threshold; it ends before `mostMs` if it can. */
function firstBurst(
  sentences: readonly Utterance[],
  mostMs: number,
  random: Random,
): { name: string; parts: Samples[]; ms: number } {
  const fitting = sentences.filter(({ ms }) => ms >= MACHINE_MS && ms <= mostMs)
  const start = fitting.length > 0 ? random.pick(fitting) : random.pick(sentences)
  const parts = [start.samples]
  let ms = start.ms
  while (ms < MACHINE_MS || (mostMs > 3000 && ms < 5000)) {
    const gap = silence(random.between(150, 500))
    const next = random.pick(sentences)
    parts.push(gap, next.samples)
    ms += msOf(gap) + next.ms
  }
  return { name: start.name, parts, ms }
}

function talkClip(sentences: readonly Utterance[], random: Random): Clip {
  const lead = leadOf(random)
  const parts = Array.from({ length: 12 }, () => [
    random.pick(sentences).samples,
    silence(random.between(150, 700)),
  ]).flat()
  const said = join(parts)
  return {
    kind: 'talk',
    source: sentences[0]?.name ?? '',
    audio: join([lead, said, silence(1000)]),
    decidedMs: msOf(lead) + msOf(said),
    beep: undefined,
    speechStartMs: msOf(lead),
    speechEndMs: msOf(lead) + msOf(said),
    speechMs: msOf(said),
  }
}
