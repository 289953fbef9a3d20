/**
 * Names the tones of a call by frequency, length and the sound after them: the beep of a voicemail,
 * fax tones (ITU-T T.30), special information tones and call progress tones (ITU-T E.180, E.182).
 */
import type { BandToneName } from './band-tones.js'
import type { FrameReading } from './frame-reading.js'
import { FRAME_MS } from './spectrum.js'
import { type ToneRun, ToneRuns } from './tone-run.js'

export type ToneName =
  | 'beep'
  /** 2100 Hz from a fax machine that answers (CED, ANSam). */
  | 'fax-answer'
  /** Half a second of 1100 Hz from a fax machine that calls (CNG). */
  | 'fax-calling'
  /** The three rising tones before "the number you have dialled …". */
  | 'special-information'
  /** 480 and 620 Hz together: busy or reorder. */
  | 'busy'
  /** 440 and 480 Hz together: ringing. */
  | 'ringback'
  /** A single tone around 425 Hz before any speech: ringing or busy in much of the world. */
  | 'call-progress'
  /** A key that was pressed (ITU-T Q.23). */
  | 'digit'
  | BandToneName

/** The drop in dB below the tone's level at which the tone is over. */
const AFTER_BEEP_DB = 8
/** The most in dB that noise goes above its mean within a few frames. */
const NOISE_REACH_DB = 2.5
const AFTER_FRAMES = 6
/**
 * Frames of silence after a tone before any speech, so that neither a clinking dish nor a note is
 * taken for a machine that only beeps.
 */
const AFTER_LONE_FRAMES = 16
const STEADY_FRAMES = 100 / FRAME_MS
const STEADY = { wobbleHz: 2.4, flutterDb: 1.2, share: 0.7 }
/** Limits of a short tone, purer than a long one: vowels have harmonics that last as long. */
const SHORT = { frames: 240 / FRAME_MS, wobbleHz: 1.6, share: 0.88 }
/**
 * Allowances for a tone in noise of half its power or more: noise moves the peak and takes part of
 * its share.
 */
const IN_NOISE = { wobbleHz: 1.2, share: 0.18, growth: 2 }
/**
 * Limits of a beep. A tone fills its first and last frame only in part: 150 ms are 7 whole frames.
 */
const BEEP = { lowHz: 390, highHz: 2010, minFrames: 7, maxFrames: 150 }
const FAX_ANSWER = { hz: 2100, tolerance: 20, frames: 460 / FRAME_MS }
/** The calling tone of a fax (T.30): 1100 Hz ± 38 for half a second ± 15 %. */
const FAX_CALLING = { hz: 1100, tolerance: 40, minFrames: 21, maxFrames: 30 }
/** The special information tones of E.180 and of American networks, within 50 Hz. */
const SPECIAL = [
  { lowHz: 864, highHz: 1036 },
  { lowHz: 1320, highHz: 1479 },
  { lowHz: 1726, highHz: 1850 },
] as const
const SPECIAL_PART = { minFrames: 9, maxFrames: 25, maxGapFrames: 5 }
const BUSY = { first: 480, second: 620, tolerance: 20, frames: 9 }
/** Limits of any two tones together: digits, busy, dial tone. */
const PAIR = { frames: 80 / FRAME_MS, wobbleHz: 3, flutterDb: 1.5, share: 0.85 }
const RINGBACK = { lowHz: 410, highHz: 495, frames: 300 / FRAME_MS, flutterDb: 2.6, share: 0.8 }
const CALL_PROGRESS = { lowHz: 415, highHz: 435 }
/**
 * Tones that ring or are busy elsewhere. A long one is, and a short one that is repeated; it is
 * awaited for longer than the pause of its cadence.
 */
const CADENCE = { lowHz: 392, highHz: 458, longFrames: 700 / FRAME_MS, toleranceHz: 15 }
const CADENCE_WAIT = { shortFrames: 300 / FRAME_MS, short: 440 / FRAME_MS, long: 600 / FRAME_MS }
/** The two groups of Q.23, and the tolerance of a frame's reading. */
const DIGIT_ROWS = [697, 770, 852, 941] as const
const DIGIT_COLUMNS = [1209, 1336, 1477, 1633] as const
const DIGIT_TOLERANCE_HZ = 20
/** The longest beep of two tones. */
const MAX_DUAL_FRAMES = 1500 / FRAME_MS
/** Music: so many of the frames before a tone are nearly as loud as it and no voice. */
const MUSIC_FRAMES = 40
const MUSIC_DB = 6
const RECENT = 32
/** The least in dB that a background voice is below a tone. */
const BACKGROUND_DB = 12

/** Facts about the sound before a tone, which only the detector has. */
export interface HeardBefore {
  readonly thresholdDb: number
  readonly clearVoiceDb: number
  /** Frames of the three seconds before `frame` that are louder than `db` and no voice. */
  loudFramesBefore(frame: number, db: number): number
}

/** A steady tone that ended and may have been a beep. `frames` is 0 when there is none. */
class Candidate {
  startFrame = 0
  frames = 0
  hz = 0
  levelDb = 0
  besideDb = 0
  /** Frames after its end until it is named. */
  wait = AFTER_FRAMES

  take(run: ToneRun, wait: number): void {
    this.wait = wait
    this.startFrame = run.startFrame
    this.frames = run.frames
    this.hz = run.first
    this.levelDb = run.levelDb
    this.besideDb = run.besideDb
  }
}

export class Tones {
  /** The first frame of the tone that `onFrame` named last. */
  startFrame = 0
  frames = 0
  hz = 0
  readonly #runs = new ToneRuns()
  readonly #recent = new Float64Array(RECENT)
  readonly #candidate = new Candidate()
  #specialParts = 0
  #specialEnd = 0
  #isFaxNamed = false
  #cadenceHz = 0

  /** Frames of the tone that sounds now; 0 when no tone sounds. */
  get soundingFrames(): number {
    const run = this.#runs.now
    return isSteady(run) || isPair(run) || isRingback(run) ? run.frames : 0
  }

  /** True while a tone that cannot be named yet sounds or has just ended. */
  get isUndecided(): boolean {
    return this.#candidate.frames > 0 || this.#runs.now.frames >= 3
  }

  onFrame(reading: FrameReading, frame: number, heard: HeardBefore): ToneName | undefined {
    this.#recent[frame % RECENT] = reading.soundDb
    const change = this.#runs.onFrame(reading, frame)
    this.#dropWhenFollowed(this.#runs.now)
    if (change === 'ended') return this.#nameEnded(this.#runs.ended, heard)
    return this.#nameFaxAnswer() ?? this.#confirm(frame, heard)
  }

  /** Drops the candidate when another tone follows it at once: it is part of a melody. */
  #dropWhenFollowed(next: ToneRun): void {
    const isFollowed = next.frames >= STEADY_FRAMES
    const tone = this.#candidate
    if (!isFollowed || next.levelDb <= tone.levelDb - AFTER_BEEP_DB) return
    const isRepeated = Math.abs(next.first - tone.hz) <= CADENCE.toleranceHz
    if (tone.frames > 0 && isRepeated && tone.wait > AFTER_LONE_FRAMES) this.#cadenceHz = tone.hz
    tone.frames = 0
  }

  #nameFaxAnswer(): ToneName | undefined {
    const run = this.#runs.now
    if (this.#isFaxNamed || run.frames < FAX_ANSWER.frames || run.share < STEADY.share)
      return undefined
    if (Math.abs(run.first - FAX_ANSWER.hz) > FAX_ANSWER.tolerance) return undefined
    this.#isFaxNamed = true
    return this.#name('fax-answer', run)
  }

  #nameEnded(run: ToneRun, heard: HeardBefore): ToneName | undefined {
    if (isPair(run)) return this.#namePair(run, heard)
    if (!isSteady(run)) return isRingback(run) ? this.#name('ringback', run) : undefined
    if (this.#isSpecialPart(run)) {
      this.#candidate.frames = 0
      if (this.#specialParts === SPECIAL.length) return this.#name('special-information', run)
    }
    const isBeep = isWithin(run.first, BEEP.lowHz, BEEP.highHz)
    if (!isBeep || !isWithin(run.frames, BEEP.minFrames, BEEP.maxFrames)) return undefined
    if (isSpoken(run, heard)) this.#candidate.take(run, AFTER_FRAMES)
    else if (this.#isCallProgress(run)) return this.#name('call-progress', run)
    else this.#candidate.take(run, waitOf(run))
    return undefined
  }

  #namePair(run: ToneRun, heard: HeardBefore): ToneName | undefined {
    if (isBusy(run)) return this.#name('busy', run)
    if (isDigit(run)) return this.#name('digit', run)
    if (isDualBeep(run) && isSpoken(run, heard)) this.#candidate.take(run, AFTER_FRAMES)
    return undefined
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

  /** Names a beep once silence has followed it. */
  #confirm(frame: number, heard: HeardBefore): ToneName | undefined {
    const tone = this.#candidate
    if (tone.frames === 0 || frame < tone.startFrame + tone.frames + tone.wait) return undefined
    let loud = 0
    const limit = Math.max(
      tone.levelDb - AFTER_BEEP_DB,
      tone.besideDb + NOISE_REACH_DB,
      Math.min(heard.thresholdDb, 0),
    )
    for (let i = 0; i < tone.wait - 2; i++)
      if ((this.#recent[(frame - i) % RECENT] ?? 0) > limit) loud++
    const isMusic = heard.loudFramesBefore(tone.startFrame, tone.levelDb - MUSIC_DB) >= MUSIC_FRAMES
    const name =
      loud <= 1 + (tone.wait >> 3) && !isMusic
        ? this.#name(nameOfSingle(tone, heard), tone, tone.hz)
        : undefined
    tone.frames = 0
    return name
  }

  /** Remembers a tone that was named elsewhere; it is no beep. */
  note(startFrame: number, frames: number): void {
    this.startFrame = startFrame
    this.frames = frames
    this.hz = 0
    this.#candidate.frames = 0
  }

  #name(name: ToneName, tone: { startFrame: number; frames: number }, hz?: number): ToneName {
    this.startFrame = tone.startFrame
    this.frames = tone.frames
    this.hz = hz ?? 0
    return name
  }
}

/**
 * Names a single tone. 1100 Hz for half a second is a calling fax, or a beep when somebody spoke
 * before.
 */
function nameOfSingle(
  tone: { frames: number; hz: number; levelDb: number },
  heard: HeardBefore,
): ToneName {
  const isCalling =
    !isSpoken(tone, heard) &&
    Math.abs(tone.hz - FAX_CALLING.hz) <= FAX_CALLING.tolerance &&
    isWithin(tone.frames, FAX_CALLING.minFrames, FAX_CALLING.maxFrames)
  return isCalling ? 'fax-calling' : 'beep'
}

/** True when speech about as loud as the tone came before it. */
function isSpoken({ levelDb }: { levelDb: number }, { clearVoiceDb }: HeardBefore): boolean {
  return clearVoiceDb > levelDb - BACKGROUND_DB
}

function isSteady(run: ToneRun): boolean {
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

function isPair(run: ToneRun): boolean {
  return (
    run.frames >= PAIR.frames &&
    run.second > 0 &&
    run.share >= PAIR.share &&
    run.wobbleHz <= PAIR.wobbleHz &&
    run.flutterDb <= PAIR.flutterDb
  )
}

/** Frames of silence after a tone before any speech, until it is certain that it is no cadence. */
function waitOf(run: ToneRun): number {
  if (!isWithin(run.first, CADENCE.lowHz, CADENCE.highHz)) return AFTER_LONE_FRAMES
  return run.frames < CADENCE_WAIT.shortFrames ? CADENCE_WAIT.short : CADENCE_WAIT.long
}

function isDigit(pair: ToneRun): boolean {
  const isNear = (hz: number) => (one: number) => Math.abs(one - hz) <= DIGIT_TOLERANCE_HZ
  return (
    DIGIT_ROWS.some(isNear(Math.min(pair.first, pair.second))) &&
    DIGIT_COLUMNS.some(isNear(Math.max(pair.first, pair.second)))
  )
}

function isDualBeep(pair: ToneRun): boolean {
  return (
    isWithin(pair.frames, BEEP.minFrames, MAX_DUAL_FRAMES) &&
    isWithin(pair.first, BEEP.lowHz, BEEP.highHz) &&
    isWithin(pair.second, BEEP.lowHz, BEEP.highHz)
  )
}

function isBusy(pair: ToneRun): boolean {
  return (
    pair.frames >= BUSY.frames &&
    Math.abs(Math.min(pair.first, pair.second) - BUSY.first) <= BUSY.tolerance &&
    Math.abs(Math.max(pair.first, pair.second) - BUSY.second) <= BUSY.tolerance
  )
}

/** True for two tones 40 or 50 Hz apart, which look like one wavering tone. */
function isRingback(run: ToneRun): boolean {
  const { frames, flutterDb, share, lowHz, highHz } = RINGBACK
  return (
    run.frames >= frames &&
    run.flutterDb <= flutterDb &&
    run.share >= share &&
    isWithin(run.first, lowHz, highHz)
  )
}

function isWithin(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}
