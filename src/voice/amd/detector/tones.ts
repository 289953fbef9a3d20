/**
 * Names the tones of a call by frequency, length and the audio after them: the beep of a voicemail, fax tones
 * (ITU-T T.30), special information tones and call progress tones (ITU-T E.180, E.182).
 */
import { isBeep, isBeepTone, isRoughBeepTone } from './beep.js'
import { type Around, LIKELY_AFTER_FRAMES, LIKELY_BEFORE_FRAMES } from './beep-input.js'
import { type BeepJudge, createBeepJudge } from './beep-network.js'
import type { FrameReading } from './frame-reading.js'
import type { RecentSpectra } from './recent-spectra.js'
import { isPair, isRingback, isSteady, nameOfRun, STEADY, STEADY_FRAMES } from './run-names.js'
import { FRAME_MS } from './spectrum.js'
import type { ToneName } from './tone-name.js'
import { joinRuns, type ToneRun, ToneRuns } from './tone-run.js'
import { shapeOf } from './tone-shape.js'

/**
 * Minimum likelihood of a beep after speech: for a tone that passes the rules, and for a single tone that
 * does not.
 */
const LIKELY_BEEP = { byRule: 0.6, alone: 0.97 }
/** Drop below the tone's level at which the tone has ended, dB. */
const AFTER_BEEP_DB = 8
/** Maximum rise of noise above its mean within a few frames, dB. */
const NOISE_REACH_DB = 2.5
const AFTER_FRAMES = 6
/** Number of first frames after a tone that are skipped because it may still ring. */
const AFTER_SKIPPED = 2
/**
 * Frames of silence required after a tone before any speech, so that a clinking dish or a note is not
 * mistaken for a beep.
 */
const AFTER_LONE_FRAMES = 16
const FAX_ANSWER = { hz: 2100, tolerance: 20, frames: 460 / FRAME_MS }
/** The calling tone of a fax (T.30): 1100 Hz ± 38 for half a second ± 15 %. Noise may mask its start. */
const FAX_CALLING = {
  hz: 1100,
  tolerance: 40,
  minFrames: 21,
  maxFrames: 30,
  noisy: { share: 0.9, minFrames: 17, maxFrames: 33 },
}
/** The special information tones of E.180 and of American networks, within 50 Hz. */
const SPECIAL = [
  { lowHz: 864, highHz: 1036 },
  { lowHz: 1320, highHz: 1479 },
  { lowHz: 1726, highHz: 1850 },
] as const
const SPECIAL_TONE = { share: 0.85, wobbleHz: 3.5 }
const SPECIAL_PART = { minFrames: 9, maxFrames: 25, maxGapFrames: 5 }
/** The frames before a tone that determine the level before it, counted back from its first. */
const BEFORE = { from: 4, to: 1 }
const EARLIER = { from: 12, to: 1 }
/** A tone that continues after a short gap is the same one: packets were lost, or it beeps twice. */
const SAME = { frames: 4, gapFrames: 11, toleranceHz: 12 }
const CALL_PROGRESS = { lowHz: 415, highHz: 435 }
/**
 * Ringing and busy tones of other countries: a long tone, or a short one that is repeated, so the wait
 * exceeds the pause of its cadence.
 */
const CADENCE = { lowHz: 392, highHz: 458, longFrames: 700 / FRAME_MS, toleranceHz: 15 }
const CADENCE_WAIT = { shortFrames: 300 / FRAME_MS, short: 440 / FRAME_MS, long: 600 / FRAME_MS }
/** Minimum number of frames before a tone that are nearly as loud and not a voice, which means music. */
const MUSIC_FRAMES = 40
const MUSIC_DB = 6
const SILENCE_DB = -90
/** Minimum distance of a background voice below a tone, dB. */
const BACKGROUND_DB = 15
/** The same for the calling tone of a fax, which has a distinct frequency and length. */
const CALLED_DB = 7
/** With this much talk before it, a tone is not a network's. */
const SPOKEN_FRAMES = 1000 / FRAME_MS

/** With less talk before it, a tone like a calling fax's is one, however loud the voices are. */
const HARDLY_SPOKEN_FRAMES = 700 / FRAME_MS

/** Facts about the audio before a tone, which only the detector has. */
export interface HeardBefore {
  readonly thresholdDb: number
  readonly clearVoiceDb: number
  /** Frames of talk so far. */
  readonly talkFrames: number
  /** Returns how many frames in the three seconds before `frame` are louder than `db` and not a voice. */
  loudFramesBefore(frame: number, db: number): number
  /** Returns the mean voice likelihood of some frames, 0 to 1. */
  likelihoodOf(startFrame: number, frames: number): number
}

/** A tone that ended and may have been a beep. */
interface Candidate {
  readonly run: ToneRun
  readonly beforeDb: number | undefined
  readonly earlierDb: number
  /** True when speech came before it. */
  readonly isSpoken: boolean
  /** Frames after its end until it is named. */
  readonly wait: number
}

/** Number of stored frames. */
const FRAMES = 256

export class Tones {
  /** The first frame of the tone that `onFrame` named last. */
  startFrame = 0
  frames = 0
  hz = 0
  readonly #spectra: RecentSpectra
  readonly #judge: BeepJudge
  readonly #runs = new ToneRuns()
  readonly #levels = new RecentLevels()
  #candidate: Candidate | undefined
  #specialParts = 0
  #specialEnd = 0
  #isFaxNamed = false
  #cadenceHz = 0
  /** The previous run, joined with earlier ones. */
  #before: ToneRun | undefined

  /** `spectra` contains the frames up to the newest one. */
  constructor(spectra: RecentSpectra, judge: BeepJudge = createBeepJudge()) {
    this.#spectra = spectra
    this.#judge = judge
  }

  /** Returns the frames of the current tone; 0 when no tone sounds. */
  soundingFrames(heard: HeardBefore): number {
    const run = this.#runs.now
    const isTone = isSteady(run) || isPair(run) || isRingback(run, isSpoken(run, heard))
    return isTone ? run.frames : 0
  }

  /** True while a tone sounds or has just ended that cannot be named yet. */
  get isUndecided(): boolean {
    return this.#candidate !== undefined || this.#runs.now.frames >= 3
  }

  onFrame(reading: FrameReading, frame: number, heard: HeardBefore): ToneName | undefined {
    this.#levels.note(frame, reading.soundDb)
    const change = this.#runs.onFrame(reading, frame)
    this.#dropWhenFollowed(this.#runs.now)
    if (change === 'ended') return this.#nameEnded(this.#runs.ended, heard)
    return this.#nameFaxAnswer() ?? this.#confirm(frame, heard)
  }

  /** Drops the candidate when another tone follows at once, since it is part of a melody. */
  #dropWhenFollowed(next: ToneRun): void {
    const tone = this.#candidate
    if (tone === undefined || next.frames < STEADY_FRAMES) return
    if (next.levelDb <= tone.run.levelDb - AFTER_BEEP_DB) return
    const isRepeated = Math.abs(next.first - tone.run.first) <= CADENCE.toleranceHz
    if (isRepeated && tone.wait > AFTER_LONE_FRAMES) this.#cadenceHz = tone.run.first
    this.#candidate = undefined
  }

  #nameFaxAnswer(): ToneName | undefined {
    const run = this.#runs.now
    if (this.#isFaxNamed || run.frames < FAX_ANSWER.frames || run.share < STEADY.share)
      return undefined
    if (Math.abs(run.first - FAX_ANSWER.hz) > FAX_ANSWER.tolerance) return undefined
    this.#isFaxNamed = true
    return this.#name('fax-answer', run)
  }

  #nameEnded(ended: ToneRun, heard: HeardBefore): ToneName | undefined {
    const run = this.#joined(ended)
    const name = nameOfRun(run, isSpoken(run, heard))
    if (name !== undefined) return this.#name(name, run)
    if (isSpecialTone(ended) && this.#isSpecialPart(ended)) {
      this.#candidate = undefined
      if (this.#specialParts === SPECIAL.length) return this.#name('special-information', run)
    }
    const spoken = isSpoken(run, heard)
    const isTone = spoken ? isRoughBeepTone(run) : isBeepTone(run)
    return isTone || (isSteady(run) && isFaxCalling(run)) ? this.#await(run, spoken) : undefined
  }

  /** Names a network's tone, or waits for the audio after the tone. */
  #await(run: ToneRun, spoken: boolean): ToneName | undefined {
    if (!spoken && isSteady(run) && this.#isCallProgress(run))
      return this.#name('call-progress', run)
    const wait = spoken || isFaxCalling(run) ? AFTER_FRAMES : waitOf(run)
    const beforeDb = this.#levels.before(run.startFrame, BEFORE)
    const earlierDb = this.#levels.before(run.startFrame, EARLIER) ?? SILENCE_DB
    this.#candidate = { run, beforeDb, earlierDb, isSpoken: spoken, wait }
    return undefined
  }

  /** Joins a run with the previous one when both are one tone with a gap. */
  #joined(run: ToneRun): ToneRun {
    const before = this.#before
    const isSame =
      before !== undefined &&
      run.startFrame - before.startFrame - before.frames <= SAME.gapFrames &&
      Math.abs(run.first - before.first) <= SAME.toleranceHz
    const joined = isSame ? joinRuns(before, run) : { ...run }
    if (run.frames >= SAME.frames) this.#before = joined
    return joined
  }

  #isCallProgress(run: ToneRun): boolean {
    if (isWithin(run.first, CALL_PROGRESS.lowHz, CALL_PROGRESS.highHz)) return true
    if (Math.abs(run.first - this.#cadenceHz) <= CADENCE.toleranceHz) return true
    return run.frames >= CADENCE.longFrames && isWithin(run.first, CADENCE.lowHz, CADENCE.highHz)
  }

  /** Counts the parts of a triplet in order. */
  #isSpecialPart(run: ToneRun): boolean {
    if (!isWithin(run.frames, SPECIAL_PART.minFrames, SPECIAL_PART.maxFrames)) return false
    const isNext = run.startFrame - this.#specialEnd <= SPECIAL_PART.maxGapFrames
    if (!isNext) this.#specialParts = 0
    const wanted = SPECIAL[this.#specialParts]
    if (wanted === undefined || !isWithin(run.first, wanted.lowHz, wanted.highHz)) {
      this.#specialParts = 0
      return false
    }
    this.#specialParts++
    this.#specialEnd = run.startFrame + run.frames
    return true
  }

  /** Names a beep once the audio after it is known. */
  #confirm(frame: number, heard: HeardBefore): ToneName | undefined {
    const tone = this.#candidate
    if (tone === undefined) return undefined
    const { run, wait } = tone
    if (frame < run.startFrame + run.frames + wait) return undefined
    this.#candidate = undefined
    const around = this.#aroundOf(tone, frame, heard)
    // Called for each such tone, so that more tones than the final candidates are collected for training.
    const isJudged = isRoughBeepTone(run) && tone.isSpoken
    const likelihood = isJudged ? this.#judge(run, around, shapeOf(run, this.#spectra, frame)) : 0
    if (around.loudBefore >= MUSIC_FRAMES) return undefined
    if (isFaxCalling(run) && mayBeCalled(run, heard))
      return this.#name('fax-calling', run, run.first)
    const isFollowed = Math.round(around.loudAfter * (wait - AFTER_SKIPPED)) > 1 + (wait >> 3)
    if (isFollowed || !isNamedBeep(tone, around, likelihood)) return undefined
    return this.#name('beep', run, run.first)
  }

  /** Returns the audio around a tone, at the frame at which it is named. */
  #aroundOf(tone: Candidate, frame: number, heard: HeardBefore): Around {
    const { run, earlierDb, wait } = tone
    const limit = Math.max(
      run.levelDb - AFTER_BEEP_DB,
      run.besideDb + NOISE_REACH_DB,
      Math.min(heard.thresholdDb, 0),
    )
    const after = this.#levels.upTo(frame, wait - AFTER_SKIPPED, limit)
    const end = run.startFrame + run.frames
    const likelyFrom = Math.max(0, run.startFrame - LIKELY_BEFORE_FRAMES)
    return {
      // If the audio began with the tone, the audio after it replaces that before it.
      beforeDb: tone.beforeDb ?? this.#levels.before(end + wait, BEFORE),
      earlierDb,
      afterDb: after.db,
      loudAfter: after.loudShare,
      loudBefore: heard.loudFramesBefore(run.startFrame, run.levelDb - MUSIC_DB),
      voiceDb: heard.clearVoiceDb,
      likelihood: heard.likelihoodOf(run.startFrame, run.frames),
      likelyBefore: heard.likelihoodOf(likelyFrom, run.startFrame - likelyFrom),
      likelyAfter: heard.likelihoodOf(end - LIKELY_AFTER_FRAMES, wait),
    }
  }

  /** Records a tone that was named elsewhere and so is not a beep. */
  note(startFrame: number, frames: number): void {
    this.startFrame = startFrame
    this.frames = frames
    this.hz = 0
    this.#candidate = undefined
  }

  #name(name: ToneName, tone: { startFrame: number; frames: number }, hz?: number): ToneName {
    this.startFrame = tone.startFrame
    this.frames = tone.frames
    this.hz = hz ?? 0
    return name
  }
}

/** The levels of the last five seconds, in dB relative to full scale. */
class RecentLevels {
  readonly #levels = new Float64Array(FRAMES)

  note(frame: number, db: number): void {
    this.#levels[frame % FRAMES] = db
  }

  /** Returns the mean of the frames `from` to `to` before a frame; undefined at the start of the audio. */
  before(frame: number, { from, to }: { from: number; to: number }): number | undefined {
    return frame < from ? undefined : this.#mean(frame - from, frame - to)
  }

  /** Returns the mean of the `count` frames that end with `frame`, and the share of them above `limitDb`. */
  upTo(frame: number, count: number, limitDb: number): { db: number; loudShare: number } {
    let loud = 0
    for (let i = frame - count + 1; i <= frame; i++)
      if ((this.#levels[i % FRAMES] ?? 0) > limitDb) loud++
    return { db: this.#mean(frame - count + 1, frame + 1), loudShare: loud / count }
  }

  #mean(from: number, to: number): number {
    let sum = 0
    for (let i = from; i < to; i++) sum += this.#levels[i % FRAMES] ?? 0
    return sum / (to - from)
  }
}

/** `likelihood` is the beep network's result for a tone after speech. */
function isNamedBeep({ run, isSpoken }: Candidate, around: Around, likelihood: number): boolean {
  const isByRule = isBeepTone(run) && isBeep(run, around, isSpoken)
  if (!isSpoken) return isByRule
  if (isByRule) return likelihood > LIKELY_BEEP.byRule
  return run.second === 0 && likelihood > LIKELY_BEEP.alone
}

/** True when hardly any speech came before the tone, or none as loud as it. */
function mayBeCalled({ levelDb }: ToneRun, { clearVoiceDb, talkFrames }: HeardBefore): boolean {
  return clearVoiceDb <= levelDb - CALLED_DB || talkFrames < HARDLY_SPOKEN_FRAMES
}

function isFaxCalling({ first, second, frames, share }: ToneRun): boolean {
  const { hz, tolerance, noisy } = FAX_CALLING
  const { minFrames, maxFrames } = share < noisy.share ? noisy : FAX_CALLING
  return second === 0 && Math.abs(first - hz) <= tolerance && isWithin(frames, minFrames, maxFrames)
}

/** True when speech about as loud as the tone came before it, or much speech. */
function isSpoken({ levelDb }: { levelDb: number }, heard: HeardBefore): boolean {
  return heard.clearVoiceDb > levelDb - BACKGROUND_DB || heard.talkFrames >= SPOKEN_FRAMES
}

/**
 * True for one of the three tones. Three in order are unmistakable, so each may waver as much as with a
 * narrow-band codec.
 */
function isSpecialTone({ second, share, wobbleHz }: ToneRun): boolean {
  return second === 0 && share >= SPECIAL_TONE.share && wobbleHz <= SPECIAL_TONE.wobbleHz
}

/** Returns the frames of silence required after a tone before any speech, to exclude a cadence. */
function waitOf(run: ToneRun): number {
  if (!isWithin(run.first, CADENCE.lowHz, CADENCE.highHz)) return AFTER_LONE_FRAMES
  return run.frames < CADENCE_WAIT.shortFrames ? CADENCE_WAIT.short : CADENCE_WAIT.long
}

function isWithin(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}
