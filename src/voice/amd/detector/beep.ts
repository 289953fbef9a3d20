/**
 * Decides whether a tone that ended is the beep of a voicemail. A beep is pure: beside it there is only the
 * noise that was there before. Speech has harmonics, and notes and clinking dishes have overtones. A beep
 * stands out from the audio before and after it, and keeps its frequency or glides evenly. After speech a
 * network decides too (`beep-network.ts`).
 */
import type { Around } from './beep-input.js'
import { FRAME_MS } from './spectrum.js'
import type { ToneRun } from './tone-run.js'

/** A tone fills its first and last frame only partly: 150 ms are 7 whole frames. */
const BEEP = { lowHz: 390, highHz: 2010, minFrames: 7, maxFrames: 150 }
/**
 * Minimum share of frames in which a beep sounds. A tone with gaps must not glide, since parts of a melody or
 * vowel do.
 */
const SOUNDING = { least: 0.55, gliding: 0.75 }
/** Maximum length of a beep of two tones, in frames. */
const MAX_DUAL_FRAMES = 1500 / FRAME_MS
/**
 * Minimum distance in dB of a short and of a longer tone from the audio before it. Noise that continues
 * beside the tone may be as loud as before.
 */
const STANDS_OUT = { shortFrames: 12, shortDb: 8, db: 6 }
const NOISE_REACH_DB = 2.5
/** A tone this long, pure and steady is a beep whatever came before it. */
const CERTAIN = { frames: 25, share: 0.9, wobbleHz: 2 }
/** Maximum distance in dB of a beep's loudest frame below the voice before it. */
const BELOW_VOICE_DB = 15
/** Narrow-band codecs make a tone waver by up to 3.5 Hz; a tone that wavers more must glide evenly. */
const STEADY_HZ = 3.5
const WAVERING_HZ = 2.4
const EVEN_GLIDE_HZ = 6
const MAX_FLUTTER_DB = 2
/** Maximum voice likelihood of a beep, unless it is as pure as `PURE`. */
const MAX_LIKELIHOOD = 0.6
const PURE = { frames: 12, share: 0.97, wobbleHz: 1 }
/** A tone with a higher voice likelihood is a beep only if it is this pure and steady. */
const VOWEL = { likelihood: 0.35, share: 0.9, wobbleHz: 2.4 }
/** A dish fades at least this fast, in dB per frame; a beep that fades so must be this pure and steady. */
const FADING = { slopeDb: -1.2, share: 0.97, wobbleHz: 1.7 }
/** Maximum wobble of a very short tone, and of a pair of tones. */
const BRIEF = { frames: 9, wobbleHz: 2 }
const DUAL_WOBBLE_HZ = 2.4
/** Maximum share of a tone in the power above the noise; a higher one means that it is part of the noise. */
const MAX_SHARE = 1.1
/**
 * Minimum shares of the tone in the power above the noise; `noisy` applies when the audio beside the tone was
 * there before.
 */
const SHARE = {
  short: { frames: 10, least: 0.96 },
  middle: { clear: 0.95, noisy: 0.94 },
  long: { frames: 20, clear: 0.9, noisy: 0.88 },
  wavering: 0.97,
  gliding: 0.95,
} as const
/** Allowance in the share for a pair of tones. */
const DUAL_SHARE = 0.03
/** Limits of a tone before any speech. They are stricter, since nothing else indicates a machine yet. */
const LONE = { clear: 0.97, noisy: 0.93, wobbleHz: 2.4, shortFrames: 12, shortDb: 15, slopeDb: 0.5 }

/**
 * A tone before any speech that neither swells nor fades, as dishes and notes do. It may be less pure, and
 * may glide as much as lost packets cause.
 */
const FLAT = { frames: 10, slopeDb: 0.12, flutterDb: 1, wobbleHz: 2.8, share: 0.8, aboveDb: 6 }

/** Allowances for a tone as even as the noise below it, which is as loud as before. */
const EVEN = { frames: 12, slopeDb: 0.25, besideDb: 1.5, aboveDb: 3.5, share: 0.15 }

/**
 * Limits of a tone for the network: it may be rougher, since more is known about it. Maximum two seconds,
 * since longer tones are feedback and rarely a beep.
 */
const ROUGH = { flutterDb: 3, share: 0.7, maxFrames: 2000 / FRAME_MS }

/** True for a tone that may be a beep after speech if the network finds it very likely. */
export function isRoughBeepTone(run: ToneRun): boolean {
  const isWithin = run.flutterDb <= ROUGH.flutterDb && run.frames <= ROUGH.maxFrames
  return hasBeepShape(run) && isWithin && run.share >= ROUGH.share
}

/** True for a tone that may be a beep, whatever the audio around it. */
export function isBeepTone(run: ToneRun): boolean {
  return (
    hasBeepShape(run) &&
    (run.wobbleHz <= STEADY_HZ || run.bendHz <= EVEN_GLIDE_HZ) &&
    run.flutterDb <= MAX_FLUTTER_DB &&
    isWhole(run) &&
    run.share >= SHARE.long.noisy - DUAL_SHARE - EVEN.share
  )
}

function hasBeepShape({ frames, first, second }: ToneRun): boolean {
  const isDual = second > 0
  return (
    frames >= BEEP.minFrames &&
    frames <= (isDual ? MAX_DUAL_FRAMES : BEEP.maxFrames) &&
    isInBand(first) &&
    (!isDual || isInBand(second))
  )
}

function isWhole({ sounding, frames, wobbleHz }: ToneRun): boolean {
  const least = wobbleHz > WAVERING_HZ ? SOUNDING.gliding : SOUNDING.least
  return sounding >= least * frames
}

/** True when the tone is a beep; `isSpoken` is true when speech came before it. */
export function isBeep(run: ToneRun, around: Around, isSpoken: boolean): boolean {
  if (isVowel(run, around) || isDish(run) || isUnsteady(run)) return false
  const isNoisy = run.besideDb <= (around.beforeDb ?? 0) + NOISE_REACH_DB
  if (!isSpoken) return isFlat(run, around) || isLoneBeep(run, isNoisy, around)
  const isCertain = run.second === 0 && isAtLeast(run, CERTAIN)
  if (!isCertain && !standsOut(run, around)) return false
  const least = leastShare(run, isNoisy) - (isEven(run, around) ? EVEN.share : 0)
  return run.peakDb >= around.voiceDb - BELOW_VOICE_DB && run.share >= least
}

function isVowel(run: ToneRun, { likelihood }: Around): boolean {
  if (likelihood > MAX_LIKELIHOOD && !isAtLeast(run, PURE)) return true
  const isRough = run.share < VOWEL.share || run.wobbleHz > VOWEL.wobbleHz
  return likelihood > VOWEL.likelihood && isRough
}

function isDish({ slopeDb, second, share, wobbleHz }: ToneRun): boolean {
  if (slopeDb >= FADING.slopeDb) return false
  return second > 0 || share < FADING.share || wobbleHz > FADING.wobbleHz
}

function isUnsteady({ frames, second, share, wobbleHz }: ToneRun): boolean {
  if (share > MAX_SHARE || (second > 0 && wobbleHz > DUAL_WOBBLE_HZ)) return true
  return frames < BRIEF.frames && (second > 0 || wobbleHz > BRIEF.wobbleHz)
}

function isEven(run: ToneRun, { beforeDb = 0 }: Around): boolean {
  return (
    run.frames >= EVEN.frames &&
    Math.abs(run.slopeDb) <= EVEN.slopeDb &&
    Math.abs(run.besideDb - beforeDb) <= EVEN.besideDb &&
    run.levelDb >= beforeDb + EVEN.aboveDb
  )
}

function isAtLeast(run: ToneRun, least: typeof CERTAIN): boolean {
  const { frames, share, wobbleHz } = run
  return frames >= least.frames && share >= least.share && wobbleHz <= least.wobbleHz
}

function standsOut(run: ToneRun, { beforeDb }: Around): boolean {
  const { shortFrames, shortDb, db } = STANDS_OUT
  const distance = run.frames < shortFrames ? shortDb : db
  return (beforeDb ?? 0) <= Math.max(run.levelDb - distance, run.besideDb + NOISE_REACH_DB)
}

function leastShare(run: ToneRun, isNoisy: boolean): number {
  const { clear, noisy } = run.frames >= SHARE.long.frames ? SHARE.long : SHARE.middle
  const short = run.frames < SHARE.short.frames ? SHARE.short.least : 0
  const uneven =
    run.wobbleHz > STEADY_HZ ? SHARE.gliding : run.wobbleHz > WAVERING_HZ ? SHARE.wavering : 0
  const least = Math.max(isNoisy ? noisy : clear, short, uneven)
  return run.second > 0 ? least - DUAL_SHARE : least
}

function isLoneBeep(run: ToneRun, isNoisy: boolean, around: Around): boolean {
  const isShort = run.frames < LONE.shortFrames
  const before = Math.max(around.beforeDb ?? 0, around.earlierDb)
  const even = isEven(run, around) ? EVEN.share : 0
  return (
    standsOut(run, around) &&
    run.second === 0 &&
    run.wobbleHz <= LONE.wobbleHz &&
    run.bendHz <= EVEN_GLIDE_HZ &&
    Math.abs(run.slopeDb) <= LONE.slopeDb &&
    run.share >= (isNoisy && !isShort ? LONE.noisy : LONE.clear) - even &&
    !(isShort && before > run.levelDb - LONE.shortDb)
  )
}

function isFlat(run: ToneRun, { beforeDb = 0, earlierDb }: Around): boolean {
  return (
    run.second === 0 &&
    run.frames >= FLAT.frames &&
    Math.abs(run.slopeDb) <= FLAT.slopeDb &&
    run.flutterDb <= FLAT.flutterDb &&
    run.wobbleHz <= FLAT.wobbleHz &&
    run.share >= FLAT.share &&
    run.levelDb >= Math.max(beforeDb, earlierDb) + FLAT.aboveDb
  )
}

function isInBand(hz: number): boolean {
  return hz >= BEEP.lowHz && hz <= BEEP.highHz
}
