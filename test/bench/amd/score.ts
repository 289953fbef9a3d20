/** Turns trials into figures: shares with their counts, as they are. Nothing is judged here. */
import type { Verdict } from './baseline.js'
import { PLAIN } from './beeps.js'
import { type ClipKind, RIGHT } from './clip.js'
import { NOISE_LEVELS } from './conditions.js'
import { NOISES } from './noises.js'
import type { Trial } from './trials.js'

export interface Share {
  readonly hits: number
  readonly of: number
  readonly percent: number
  /** The lower end of the 95 % interval (Wilson), percent. */
  readonly low: number
  readonly high: number
}

export interface Compared {
  readonly detector: Share
  readonly baseline: Share
}

/** A figure for each noise level, and one under `all`. */
export type ByNoise<T> = Readonly<Record<string, T>>

export interface Latency {
  readonly p50: number
  readonly p95: number
}

export interface Score {
  readonly trials: number
  readonly audioHours: number
  readonly machineOnPerson: ByNoise<Compared>
  /**
   * The share of machine verdicts for all people, those who speak longer than the threshold
   * included.
   */
  readonly machineOnAnyPerson: ByNoise<Compared>
  readonly humanRecall: ByNoise<Compared>
  readonly machineRecall: ByNoise<Compared>
  readonly shortMachineRecall: ByNoise<Compared>
  readonly faxRecall: ByNoise<Compared>
  readonly informationToneRecall: ByNoise<Compared>
  /** Machines whose first burst lasts less than three seconds. */
  readonly briefMachineRecall: ByNoise<Compared>
  /** Machine verdicts for people and right verdicts for machines at 10 dB, by kind of noise. */
  readonly byNoiseKind: Readonly<Record<string, { person: Share; machine: Share }>>
  /** Network tones, digits, coughs and silence that were found to be nobody. */
  readonly nobodyRecall: ByNoise<Compared>
  readonly beepHits: ByNoise<Share>
  readonly unusualBeepHits: ByNoise<Share>
  /** Machines whose end was said before it, in a pause of the greeting. */
  readonly earlyEnds: ByNoise<Share>
  readonly silentEnds: ByNoise<Share>
  readonly falseBeeps: {
    readonly count: number
    readonly speechHours: number
    readonly perHour: number
    readonly inMusic: number
    readonly musicHours: number
    readonly perMusicHour: number
  }
  /** The latency in ms from the answer, and from the end of the speech or tone that decides. */
  readonly latency: Readonly<
    Record<'person' | 'machine' | 'fax', { fromAnswer: Latency; fromDecided: Latency }>
  >
  readonly messageEndLatency: Latency
  /** From the first sound of a machine to its verdict. */
  readonly machineFromFirstSound: Latency
  /** The number of clips by kind and verdict, mode enable. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const NOBODY_KINDS: readonly ClipKind[] = [
  'ringback',
  'busy',
  'dial-tone',
  'digits',
  'cough',
  'silence',
]
const BRIEF_MS = 3000
export const SPEECH_KINDS: readonly ClipKind[] = [
  'person',
  'person-long',
  'machine',
  'machine-short',
  'talk',
]
/**
 * The earliest hit. A beep is hit when the verdict comes between its end, less a frame or two, and
 * half a second later.
 */
const BEEP_EARLY_MS = 60
const BEEP_LATE_MS = 500

export function score(trials: readonly Trial[]): Score {
  const ofKind = (...kinds: ClipKind[]): Trial[] =>
    trials.filter((trial) => kinds.includes(trial.clip.kind))
  const people = ofKind('person')
  const machines = ofKind('machine')
  const beeps = ofKind('machine', 'machine-short', 'beep').filter((one) => one.clip.beep)
  const withBeep = beeps.filter((one) => one.clip.beep?.shape === PLAIN)
  const unusual = beeps.filter((one) => one.clip.beep?.shape !== PLAIN)
  const silentEnds = ofKind('machine').filter((one) => one.clip.beep === undefined)
  return {
    trials: trials.length,
    audioHours: hours(trials, (trial) => trial.audioMs),
    machineOnPerson: compare(people, isMachine),
    machineOnAnyPerson: compare(ofKind('person', 'person-long'), isMachine),
    humanRecall: compare(people, isRight),
    machineRecall: compare(ofKind('machine'), isRight),
    shortMachineRecall: compare(ofKind('machine-short'), isRight),
    faxRecall: compare(ofKind('fax'), isRight),
    informationToneRecall: compare(ofKind('information-tones'), isRight),
    briefMachineRecall: compare(machines.filter(isBrief), isRight),
    byNoiseKind: byNoiseKind(people, machines),
    nobodyRecall: compare(ofKind(...NOBODY_KINDS), isRight),
    beepHits: byNoise(withBeep, (some) => shareOf(some, isBeepHit)),
    unusualBeepHits: byNoise(unusual, (some) => shareOf(some, isBeepHit)),
    earlyEnds: byNoise(machines, (some) => shareOf(some, isEndEarly)),
    silentEnds: byNoise(silentEnds, (some) =>
      shareOf(some, (one) => one.messageEnd.answeredBy === 'machine_end_silence'),
    ),
    falseBeeps: falseBeeps(ofKind(...SPEECH_KINDS), ofKind('music')),
    latency: {
      person: latencyOf(people),
      machine: latencyOf(ofKind('machine')),
      fax: latencyOf(ofKind('fax')),
    },
    messageEndLatency: percentiles(
      withBeep.filter(isBeepHit).map((one) => one.messageEnd.atMs - (one.clip.beep?.endMs ?? 0)),
    ),
    machineFromFirstSound: percentiles(
      machines
        .filter((one) => isRight(one, one.enable))
        .map((one) => one.enable.atMs - one.clip.speechStartMs),
    ),
    confusion: confusionOf(trials),
  }
}

function byNoiseKind(people: readonly Trial[], machines: readonly Trial[]): Score['byNoiseKind'] {
  const of = (trials: readonly Trial[], kind: string) =>
    trials.filter(({ condition }) => condition.snr === '10' && condition.noise === kind)
  return Object.fromEntries(
    NOISES.map((kind) => [
      kind,
      {
        person: shareOf(of(people, kind), (one) => isMachine(one, one.enable)),
        machine: shareOf(of(machines, kind), (one) => isRight(one, one.enable)),
      },
    ]),
  )
}

function isBrief({ clip }: Trial): boolean {
  return clip.decidedMs - clip.speechStartMs < BRIEF_MS
}

function isEndEarly({ clip, messageEnd }: Trial): boolean {
  return messageEnd.answeredBy.startsWith('machine_end') && messageEnd.atMs < clip.speechEndMs
}

function shareOf(trials: readonly Trial[], is: (trial: Trial) => boolean): Share {
  return share(trials.filter(is).length, trials.length)
}

type Judge = (trial: Trial, verdict: Verdict) => boolean

export const isMachine: Judge = (_trial, verdict) => verdict.answeredBy.startsWith('machine')
export const isRight: Judge = (trial, verdict) =>
  RIGHT[trial.clip.kind].includes(verdict.answeredBy)

export function isBeepHit({ clip, messageEnd }: Trial): boolean {
  if (messageEnd.answeredBy !== 'machine_end_beep' || clip.beep === undefined) return false
  const { shape, startMs, endMs } = clip.beep
  // A decaying tone is inaudible long before its end, and the first of two may be enough.
  const earliest = shape === PLAIN ? endMs - BEEP_EARLY_MS : startMs + BEEP_EARLY_MS
  return messageEnd.atMs >= earliest && messageEnd.atMs <= endMs + BEEP_LATE_MS
}

function compare(trials: readonly Trial[], is: Judge): ByNoise<Compared> {
  return byNoise(trials, (some) => ({
    detector: share(some.filter((one) => is(one, one.enable)).length, some.length),
    baseline: share(some.filter((one) => is(one, one.baseline)).length, some.length),
  }))
}

function byNoise<T>(trials: readonly Trial[], make: (some: readonly Trial[]) => T): ByNoise<T> {
  const levels = NOISE_LEVELS.map((snr): [string, T] => [
    snr,
    make(trials.filter((one) => one.condition.snr === snr)),
  ])
  return Object.fromEntries([...levels, ['all', make(trials)]])
}

export function share(hits: number, of: number): Share {
  if (of === 0) return { hits, of, percent: 0, low: 0, high: 100 }
  const z = 1.96
  const p = hits / of
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const reach = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of)
  return {
    hits,
    of,
    percent: 100 * p,
    low: 100 * Math.max(0, middle - reach),
    high: 100 * Math.min(1, middle + reach),
  }
}

function falseBeeps(spoken: readonly Trial[], music: readonly Trial[]): Score['falseBeeps'] {
  const count = spoken.reduce((sum, trial) => sum + falseBeepsIn(trial).length, 0)
  const inMusic = music.reduce((sum, trial) => sum + trial.beepsMs.length, 0)
  const musicHours = hours(music, (trial) => trial.audioMs)
  const speechHours = hours(spoken, (trial) => trial.clip.speechMs)
  return {
    count,
    speechHours,
    perHour: speechHours === 0 ? 0 : count / speechHours,
    inMusic,
    musicHours,
    perMusicHour: musicHours === 0 ? 0 : inMusic / musicHours,
  }
}

/** Beeps that were heard before the greeting's end: every beep that was sent comes after it. */
export function falseBeepsIn({ clip, beepsMs }: Trial): readonly number[] {
  return beepsMs.filter((ms) => ms <= clip.speechEndMs + BEEP_EARLY_MS)
}

function latencyOf(trials: readonly Trial[]): { fromAnswer: Latency; fromDecided: Latency } {
  const right = trials.filter((one) => isRight(one, one.enable))
  return {
    fromAnswer: percentiles(right.map((one) => one.enable.atMs)),
    fromDecided: percentiles(right.map((one) => one.enable.atMs - one.clip.decidedMs)),
  }
}

function percentiles(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0)
  return { p50: at(0.5), p95: at(0.95) }
}

function confusionOf(trials: readonly Trial[]): Score['confusion'] {
  const table: Record<string, Record<string, number>> = {}
  for (const { clip, enable } of trials) {
    const row = (table[clip.kind] ??= {})
    row[enable.answeredBy] = (row[enable.answeredBy] ?? 0) + 1
  }
  return table
}

function hours(trials: readonly Trial[], msOf: (trial: Trial) => number): number {
  return trials.reduce((sum, trial) => sum + msOf(trial), 0) / 3_600_000
}
