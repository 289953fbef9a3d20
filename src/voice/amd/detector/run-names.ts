/**
 * Names tones that are recognized independently of the audio around them: digits (Q.23), busy and ringback. A
 * run is one steady tone or a pair of tones.
 */
import { FRAME_MS } from './spectrum.js'
import type { ToneName } from './tone-name.js'
import type { ToneRun } from './tone-run.js'

export const STEADY_FRAMES = 100 / FRAME_MS
export const STEADY = { wobbleHz: 2.4, flutterDb: 1.2, share: 0.7 }
/** Limits of a short tone, purer than a long one, since harmonics of vowels last as long. */
const SHORT = { frames: 240 / FRAME_MS, wobbleHz: 1.6, share: 0.88 }
/** Allowances for a tone in noise of half its power or more: noise shifts the peak and reduces its share. */
const IN_NOISE = { wobbleHz: 1.2, share: 0.18, growth: 2 }
const BUSY = { first: 480, second: 620, tolerance: 20, frames: 9 }
/** Limits of any pair of tones: digits, busy, dial tone. */
const PAIR = { frames: 80 / FRAME_MS, wobbleHz: 3, flutterDb: 1.5, share: 0.85 }
const RINGBACK = {
  lowHz: 410,
  highHz: 495,
  frames: 300 / FRAME_MS,
  spokenFrames: 1000 / FRAME_MS,
  flutterDb: 2.6,
  share: 0.8,
}
/** The two frequency groups of Q.23, and the tolerance of a frame's measurement. */
const DIGIT_ROWS = [697, 770, 852, 941] as const
const DIGIT_COLUMNS = [1209, 1336, 1477, 1633] as const
const DIGIT_TOLERANCE_HZ = 20

/** Returns the name of a tone that is recognized on its own. */
export function nameOfRun(run: ToneRun, spoken: boolean): ToneName | undefined {
  const isOfPair = isPair(run)
  if (isOfPair && isBusy(run)) return 'busy'
  if (isOfPair && isDigit(run)) return 'digit'
  return (isOfPair || !isSteady(run)) && isRingback(run, spoken) ? 'ringback' : undefined
}

export function isSteady(run: ToneRun): boolean {
  const limits = run.frames < SHORT.frames ? SHORT : STEADY
  const slack = Math.min(1, IN_NOISE.growth * run.noise)
  return (
    run.frames >= STEADY_FRAMES &&
    run.second === 0 &&
    run.share >= limits.share - slack * IN_NOISE.share &&
    run.wobbleHz <= limits.wobbleHz + slack * IN_NOISE.wobbleHz &&
    run.flutterDb <= STEADY.flutterDb
  )
}

export function isPair(run: ToneRun): boolean {
  return (
    run.frames >= PAIR.frames &&
    run.second > 0 &&
    run.share >= PAIR.share &&
    run.wobbleHz <= PAIR.wobbleHz &&
    run.flutterDb <= PAIR.flutterDb
  )
}

function isDigit(pair: ToneRun): boolean {
  const isNear = (hz: number) => (one: number) => Math.abs(one - hz) <= DIGIT_TOLERANCE_HZ
  return (
    DIGIT_ROWS.some(isNear(Math.min(pair.first, pair.second))) &&
    DIGIT_COLUMNS.some(isNear(Math.max(pair.first, pair.second)))
  )
}

function isBusy(pair: ToneRun): boolean {
  return (
    pair.frames >= BUSY.frames &&
    Math.abs(Math.min(pair.first, pair.second) - BUSY.first) <= BUSY.tolerance &&
    Math.abs(Math.max(pair.first, pair.second) - BUSY.second) <= BUSY.tolerance
  )
}

/**
 * True for two tones 40 or 50 Hz apart, which look like one wavering tone. A long vowel looks the same, so
 * after speech the tone must be longer than a vowel.
 */
export function isRingback(run: ToneRun, spoken: boolean): boolean {
  const { frames, spokenFrames, flutterDb, share, lowHz, highHz } = RINGBACK
  return (
    run.frames >= (spoken ? spokenFrames : frames) &&
    run.flutterDb <= flutterDb &&
    run.share >= share &&
    run.first >= lowHz &&
    run.first <= highHz
  )
}
