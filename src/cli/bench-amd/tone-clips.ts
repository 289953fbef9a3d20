/** The clips in which nobody speaks: fax machines, network tones, beeps, music, silence. */
import type { Clip, ClipKind } from './clip.js'
import { beepTone, leadOf, msOf } from './clips.js'
import type { Random } from './random.js'
import { join, modemAnswer, repeat, silence, tone } from './signals.js'
import type { Samples, Sentence, Speech } from './speech.js'

const EACH = 14
const MUSIC_PIECES = 12
const INFORMATION_TONES = [
  [950, 1400, 1800],
  [913.8, 1370.6, 1776.7],
  [985.2, 1428.5, 1776.7],
] as const
const RINGBACKS = [
  { hz: [440, 480], onMs: 2000, offMs: 4000 },
  { hz: [425], onMs: 1000, offMs: 4000 },
  { hz: [400, 450], onMs: 400, offMs: 200 },
] as const
const BUSIES = [
  { hz: [480, 620], onMs: 500, offMs: 500 },
  { hz: [480, 620], onMs: 250, offMs: 250 },
  { hz: [425], onMs: 480, offMs: 480 },
] as const

/** The music of a set. Two sets share no music. */
export function musicOf(seed: number): Sentence[] {
  return Array.from({ length: MUSIC_PIECES }, (_, i) => ({
    voice: `music:${(seed % 97) * 100 + i}`,
    speed: 0,
    text: '',
  }))
}

export function toneClips(random: Random): Clip[] {
  const times = <T>(make: (index: number) => T): T[] =>
    Array.from({ length: EACH }, (_, i) => make(i))
  const db = (): number => random.between(-30, -12)
  return [
    ...times((i) => toneClip('fax', faxAnswer(i, db(), random), random)),
    ...times(() => toneClip('fax', faxCalling(db(), random), random)),
    ...times((i) => toneClip('information-tones', informationTones(i, db(), random), random)),
    ...times(() => toneClip('beep', [beepTone(random)], random)),
    ...times((i) => toneClip('ringback', cadence(RINGBACKS[i % 3] ?? RINGBACKS[0], db()), random)),
    ...times((i) => toneClip('busy', cadence(BUSIES[i % 3] ?? BUSIES[0], db()), random)),
    ...times(() => toneClip('silence', [silence(10_000)], random)),
  ]
}

export function musicClips(pieces: readonly Sentence[], speech: Speech, random: Random): Clip[] {
  return pieces.map((piece) => toneClip('music', [speech.read(piece)], random))
}

function toneClip(kind: ClipKind, parts: readonly Samples[], random: Random): Clip {
  const lead = leadOf(random)
  const first = parts[0] ?? silence(0)
  const endMs = msOf(lead) + msOf(first)
  const isBeep = kind === 'beep'
  return {
    kind,
    audio: join([lead, ...parts, silence(5000)]),
    decidedMs: endMs,
    beep: isBeep ? { startMs: msOf(lead), endMs } : undefined,
    speechEndMs: endMs,
    speechMs: 0,
  }
}

function faxAnswer(index: number, db: number, random: Random): Samples[] {
  const ms = random.between(2600, 4000)
  const hz = random.between(2088, 2112)
  return [index % 2 === 0 ? tone({ hz: [hz], ms, db }) : modemAnswer(ms, db)]
}

function faxCalling(db: number, random: Random): Samples[] {
  const hz = [random.between(1064, 1136)]
  return [repeat([tone({ hz, ms: random.between(430, 570), db }), silence(3000)], 3)]
}

/**
 * The information tones of a network, without the announcement that follows them: the tones alone
 * must decide.
 */
function informationTones(index: number, db: number, random: Random): Samples[] {
  const long = random.between(276, 380)
  const set = INFORMATION_TONES[index % 3] ?? INFORMATION_TONES[0]
  return [join(set.map((hz) => tone({ hz: [hz], ms: long, db })))]
}

function cadence(
  { hz, onMs, offMs }: { hz: readonly number[]; onMs: number; offMs: number },
  db: number,
): Samples[] {
  const times = Math.ceil(12_000 / (onMs + offMs))
  return [repeat([tone({ hz, ms: onMs, db }), silence(offMs)], times)]
}
