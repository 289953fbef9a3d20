/**
 * The clips of a set, before noise, codec and network: they say who speaks what, when, and with
 * which tones.
 */

import { PLAIN } from './beeps.js'
import type { Clip, ClipKind } from './clip.js'
import type { Random } from './random.js'
import type { ClipSet } from './sets/clip-set.js'
import { atLevel, join, RATE, silence, tone } from './signals.js'
import type { Samples, Sentence, Speech } from './speech.js'

/** The root mean square of the active speech, dB below full scale. */
export const SPEECH_DB = -22
const PERSON_VOICES = 3
const MACHINE_VOICES = 3
const SHORT_MACHINE_VOICES = 4
/**
 * The longest greeting of a person: the default MachineDetectionSpeechThreshold, less what a frame
 * and a hang-over may add.
 */
const LONGEST_PERSON_MS = 2250
/** The default MachineDetectionSpeechEndThreshold: a beep that comes later is too late. */
const SPEECH_END_MS = 1200

type Unnamed = Omit<Clip, 'source'>

interface Spoken {
  readonly kind: 'person' | 'machine' | 'machine-short' | 'talk'
  readonly sentence: Sentence
}

/** Every sentence of the set, in a fixed order. */
export function spokenOf(set: ClipSet, random: Random): Spoken[] {
  const speak = (
    kind: Spoken['kind'],
    texts: readonly string[],
    voices: readonly string[],
    each: number,
  ): Spoken[] =>
    texts.flatMap((text, i) =>
      Array.from({ length: Math.min(each, voices.length) }, (_, j) => {
        const voice = voices[(i * 3 + j) % voices.length] ?? ''
        return { kind, sentence: { voice, text, speed: Math.round(random.between(140, 185)) } }
      }),
    )
  return [
    ...speak('person', set.people, set.voices, PERSON_VOICES),
    ...speak('machine', set.machines, set.voices, MACHINE_VOICES),
    ...speak('machine-short', set.shortMachines, set.voices, SHORT_MACHINE_VOICES),
    ...speak('talk', set.talk, set.voices, set.voices.length),
    ...set.foreign.flatMap((foreign) => [
      ...speak('person', foreign.people, foreign.voices, PERSON_VOICES),
      ...speak('machine', foreign.machines, foreign.voices, MACHINE_VOICES),
    ]),
  ]
}

export function speakClip(spoken: Spoken, speech: Speech, random: Random): Clip {
  const said = atLevel(speech.read(spoken.sentence), SPEECH_DB)
  const lead = leadOf(random)
  const { voice, text } = spoken.sentence
  return { ...clipOf(spoken.kind, said, lead, random), source: `${voice}: ${text.slice(0, 40)}` }
}

function clipOf(kind: Spoken['kind'], said: Samples, lead: Samples, random: Random): Unnamed {
  if (kind === 'person') return personClip(said, lead, random)
  if (kind === 'talk') return plainClip('talk', [lead, said, silence(1000)], lead, said)
  return machineClip(kind, said, lead, random)
}

function personClip(said: Samples, lead: Samples, random: Random): Unnamed {
  const kind = msOf(said) > LONGEST_PERSON_MS ? 'person-long' : 'person'
  const isAsking = msOf(said) < 700 && random.next() < 0.25
  const again = isAsking ? [silence(random.between(500, 1000)), said] : []
  return plainClip(kind, [lead, said, ...again, silence(4000)], lead, join([said, ...again]))
}

function plainClip(kind: ClipKind, parts: Samples[], lead: Samples, said: Samples): Unnamed {
  const speechEndMs = msOf(lead) + msOf(said)
  return {
    kind,
    audio: join(parts),
    decidedMs: speechEndMs,
    beep: undefined,
    speechStartMs: msOf(lead),
    speechEndMs,
    speechMs: msOf(said),
  }
}

/**
 * One answering machine. A quarter of the long greetings end without a beep, or with one that comes
 * too late.
 */
function machineClip(
  kind: 'machine' | 'machine-short',
  said: Samples,
  lead: Samples,
  random: Random,
): Unnamed {
  const hasBeep = kind === 'machine-short' || random.next() < 0.75
  if (!hasBeep) {
    const isLate = random.next() < 0.4
    const late = isLate ? [silence(random.between(1600, 2500)), beepTone(random)] : []
    return plainClip(kind, [lead, said, ...late, silence(4000)], lead, said)
  }
  const gap = silence(random.between(100, SPEECH_END_MS - 250))
  const beep = beepTone(random)
  const speechEndMs = msOf(lead) + msOf(said)
  const startMs = speechEndMs + msOf(gap)
  return {
    kind,
    audio: join([lead, said, gap, beep, silence(3000)]),
    decidedMs: kind === 'machine-short' ? startMs + msOf(beep) : speechEndMs,
    beep: { startMs, endMs: startMs + msOf(beep), shape: PLAIN },
    speechStartMs: msOf(lead),
    speechEndMs,
    speechMs: msOf(said),
  }
}

export function beepTone(random: Random): Samples {
  return tone({
    hz: [random.between(400, 2000)],
    ms: random.between(150, 1000),
    db: random.between(-28, -10),
  })
}

/**
 * The silence before the speech. One clip in ten starts in the middle of the first word; the others
 * start after up to a second and a half.
 */
export function leadOf(random: Random): Samples {
  return random.next() < 0.1 ? silence(0) : silence(random.between(100, 1500))
}

export function msOf(samples: Samples): number {
  return (samples.length * 1000) / RATE
}
