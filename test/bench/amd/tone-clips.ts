/** The clips in which nobody speaks: fax machines, network tones, beeps, music, silence. */

import { PLAIN } from './beeps.js'
import type { Clip, ClipKind } from './clip.js'
import { beepTone, leadOf, msOf } from './clips.js'
import type { Random } from './random.js'
import { atLevel, join, modemAnswer, RATE, repeat, silence, tone, whiteNoise } from './signals.js'
import type { Samples } from './speech.js'

const EACH = 14
const PIECE_SAMPLES = 20 * RATE
const MUSIC_DB = -22
const INFORMATION_TONES = [
  [950, 1400, 1800],
  [913.8, 1370.6, 1776.7],
  [985.2, 1428.5, 1776.7],
] as const
const RINGBACKS = [
  { hz: [440, 480], onMs: 2000, offMs: 4000 },
  { hz: [425], onMs: 1000, offMs: 4000 },
  { hz: [400, 450], onMs: 400, offMs: 200 },
  { hz: [400], onMs: 1500, offMs: 3500 },
  { hz: [440], onMs: 2000, offMs: 4000 },
] as const
const BUSIES = [
  { hz: [480, 620], onMs: 500, offMs: 500 },
  { hz: [480, 620], onMs: 250, offMs: 250 },
  { hz: [425], onMs: 480, offMs: 480 },
  { hz: [400], onMs: 375, offMs: 375 },
  { hz: [440], onMs: 500, offMs: 500 },
] as const
const DIGITS = [
  [697, 1209],
  [770, 1336],
  [852, 1477],
  [941, 1336],
] as const

export function toneClips(random: Random): Clip[] {
  const times = <T>(make: (index: number) => T): T[] =>
    Array.from({ length: EACH }, (_, i) => make(i))
  const db = (): number => random.between(-30, -12)
  return [
    ...times((i) => toneClip('fax', faxAnswer(i, db(), random), random)),
    ...times(() => toneClip('fax', faxCalling(db(), random), random)),
    ...times((i) => toneClip('information-tones', informationTones(i, db(), random), random)),
    ...times(() => toneClip('beep', [beepTone(random)], random)),
    ...times((i) => toneClip('ringback', cadence(RINGBACKS[i % 5] ?? RINGBACKS[0], db()), random)),
    ...times((i) => toneClip('busy', cadence(BUSIES[i % 5] ?? BUSIES[0], db()), random)),
    ...times(() => toneClip('fax', fskPreamble(db(), random), random)),
    ...times(() => toneClip('dial-tone', [tone({ hz: [350, 440], ms: 12_000, db: db() })], random)),
    ...times(() => toneClip('digits', [digits(db(), random)], random)),
    ...times(() => toneClip('cough', [cough(db(), random)], random)),
    ...times(() => toneClip('silence', [silence(10_000)], random)),
  ]
}

/** Cuts a piece of twenty seconds out of each recording of music. */
export function musicClips(pieces: readonly Samples[], random: Random): Clip[] {
  return pieces.map((piece) => {
    const at = Math.floor(random.next() * Math.max(0, piece.length - PIECE_SAMPLES))
    return toneClip('music', [atLevel(piece.subarray(at, at + PIECE_SAMPLES), MUSIC_DB)], random)
  })
}

function toneClip(kind: ClipKind, parts: readonly Samples[], random: Random): Clip {
  const lead = leadOf(random)
  const first = parts[0] ?? silence(0)
  const endMs = msOf(lead) + msOf(first)
  const isBeep = kind === 'beep'
  return {
    kind,
    source: kind,
    audio: join([lead, ...parts, silence(5000)]),
    decidedMs: endMs,
    beep: isBeep ? { startMs: msOf(lead), endMs, shape: PLAIN } : undefined,
    speechStartMs: msOf(lead),
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

/** The preamble of V.21 channel 2 (T.30): flags at 300 bit/s, sent without an answer tone. */
function fskPreamble(db: number, random: Random): Samples[] {
  const flag = [0, 1, 1, 1, 1, 1, 1, 0]
  const amplitude = 10 ** (db / 20) * Math.SQRT2
  const ms = random.between(900, 1100)
  let phase = 0
  const once = silence(ms).map((_, i) => {
    const bit = flag[Math.floor((i * 300) / RATE) % flag.length] ?? 0
    phase += (2 * Math.PI * (bit === 1 ? 1650 : 1850)) / RATE
    return amplitude * Math.sin(phase)
  })
  return [repeat([once, silence(3000)], 3)]
}

function digits(db: number, random: Random): Samples {
  const keys = Array.from({ length: 6 }, () => [
    tone({ hz: random.pick(DIGITS), ms: random.between(70, 200), db }),
    silence(random.between(60, 300)),
  ])
  return join(keys.flat())
}

/** Two bursts of noise that start hard and fade. */
function cough(db: number, random: Random): Samples {
  const burst = (): Samples => {
    const noise = whiteNoise(random.between(0.1, 0.22) * RATE, random)
    let last = 0
    return noise.map((one, i) => {
      last += 0.5 * (one - last)
      return 10 ** (db / 20) * 2 * last * Math.exp((-4 * i) / noise.length)
    })
  }
  return join([burst(), silence(random.between(80, 250)), burst()])
}

function cadence(
  { hz, onMs, offMs }: { hz: readonly number[]; onMs: number; offMs: number },
  db: number,
): Samples[] {
  const times = Math.ceil(12_000 / (onMs + offMs))
  return [repeat([tone({ hz, ms: onMs, db }), silence(offMs)], times)]
}
