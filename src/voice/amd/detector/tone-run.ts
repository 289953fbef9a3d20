/**
 * Joins consecutive frames with the same tones into a run. A run survives two frames that do not match, such
 * as lost packets or a phase reversal of a fax answer tone. Two consecutive frames with another tone end it
 * and begin the next, since special information tones follow without a pause.
 */
import type { FrameReading } from './frame-reading.js'

/** Tolerance within a run. It covers two tones 40 Hz apart, which one frame cannot separate. */
const TOLERANCE_HZ = 25
const MAX_MISSES = 2
/**
 * Maximum contribution of one frame to the mean and the wobble, since a concealed packet breaks the phase.
 */
const MAX_WOBBLE_HZ = 5

const MAX_BEND_HZ = 20
/** Smoothing factor of the glide. */
const GLIDE_SHARE = 0.4
/** Number of frames in the running mean. */
const MEAN_FRAMES = 6
const SETTLING_FRAMES = 2
const AGREEMENT_HZ = 2
/** Ratio of a noise's mean level change to the mean difference between two such changes. */
const BEND_SHARE = 0.6

/** A run in progress or just ended. The object is reused: copy the fields that must be kept. */
export interface ToneRun {
  /** Frames from the run's first to its last matching frame. */
  readonly frames: number
  /** Frames in which the tone sounded; the others are gaps. */
  readonly sounding: number
  /** Index of its first frame. */
  readonly startFrame: number
  /** Mean frequency in Hz. */
  readonly first: number
  /** Frequency in Hz of a second tone that was in most frames, else 0. */
  readonly second: number
  /** Mean distance from the mean frequency in Hz. */
  readonly wobbleHz: number
  /** Mean distance from an even glide of the frequency in Hz. */
  readonly bendHz: number
  /** Mean level change between frames in dB, without the tone's start and end. */
  readonly flutterDb: number
  /** Mean level change per frame in dB: about 0, or negative when the tone fades. */
  readonly slopeDb: number
  /** Share of the tone in the power above the noise. */
  readonly share: number
  /** Power of the noise around the tone relative to the tone's. */
  readonly noise: number
  readonly levelDb: number
  /** Level of its loudest frame in dB. A fading tone is much softer on average. */
  readonly peakDb: number
  /** Level of the audio beside the tone in dB. */
  readonly besideDb: number
}

class Run implements ToneRun {
  frames = 0
  sounding = 0
  startFrame = 0
  first = 0
  second = 0
  wobbleHz = 0
  bendHz = 0
  flutterDb = 0
  slopeDb = 0
  share = 0
  noise = 0
  levelDb = 0
  peakDb = 0
  besideDb = 0
}

/**
 * Totals over a run's matching frames, from which its means are computed. Reused, so that nothing is
 * allocated.
 */
class Sums {
  fitting = 0
  second = 0
  seconds = 0
  wobble = 0
  bend = 0
  flutter = 0
  tone = 0
  peak = 0
  signal = 0
  noise = 0
  beside = 0

  reset(): void {
    this.fitting = 0
    this.second = 0
    this.seconds = 0
    this.wobble = 0
    this.bend = 0
    this.flutter = 0
    this.tone = 0
    this.peak = 0
    this.signal = 0
    this.noise = 0
    this.beside = 0
  }
}

/** Joins two runs of one tone with a gap between them, each weighted by its length. */
export function joinRuns(a: ToneRun, b: ToneRun): ToneRun {
  const sounding = a.sounding + b.sounding
  const mean = (x: number, y: number) => (a.sounding * x + b.sounding * y) / sounding
  return {
    frames: b.startFrame + b.frames - a.startFrame,
    sounding,
    startFrame: a.startFrame,
    first: mean(a.first, b.first),
    second: a.sounding >= b.sounding ? a.second : b.second,
    wobbleHz: mean(a.wobbleHz, b.wobbleHz),
    bendHz: mean(a.bendHz, b.bendHz),
    flutterDb: mean(a.flutterDb, b.flutterDb),
    slopeDb: mean(a.slopeDb, b.slopeDb),
    share: mean(a.share, b.share),
    noise: mean(a.noise, b.noise),
    levelDb: mean(a.levelDb, b.levelDb),
    peakDb: Math.max(a.peakDb, b.peakDb),
    besideDb: mean(a.besideDb, b.besideDb),
  }
}

export class ToneRuns {
  /** The run that has just ended. Valid after `onFrame` returned `ended`. */
  readonly ended: ToneRun & Run = new Run()
  readonly #now = new Run()
  readonly #sums = new Sums()
  #lastLevelDb = 0
  #lastChangeDb = 0
  /** The newest flutter. It only counts after another frame, because a run's last frame is partly its end. */
  #lastFlutterDb = 0
  #lastHz = 0
  #firstToneDb = 0
  #lastToneDb = 0
  /** The change of frequency between frames. */
  #glideHz = 0
  #misses = 0
  #otherHz = 0
  #others = 0

  get now(): ToneRun {
    return this.#now
  }

  onFrame(reading: FrameReading, frame: number): 'ended' | 'same' {
    if (this.#now.frames === 0) {
      if (reading.isTonal) this.#start(reading, frame)
      return 'same'
    }
    if (this.#follow(reading, frame)) return 'same'
    this.#misses++
    const isOther = reading.isTonal && Math.abs(reading.first - this.#otherHz) <= TOLERANCE_HZ
    this.#others = isOther ? this.#others + 1 : reading.isTonal ? 1 : 0
    this.#otherHz = reading.isTonal ? reading.first : 0
    if (this.#misses <= MAX_MISSES && this.#others < 2) return 'same'
    this.#end()
    if (isOther) this.#start(reading, frame - 1)
    return 'ended'
  }

  /** Extends the run when the frame matches. Of two equally loud tones, either may be first. */
  #follow(reading: FrameReading, frame: number): boolean {
    const { isTonal, first, second } = reading
    if (!isTonal) return false
    if (this.#isFitting(first)) this.#extend(reading, first, second, frame)
    else if (second > 0 && this.#isFitting(second)) this.#extend(reading, second, first, frame)
    else return false
    return true
  }

  /** True when a frequency continues the run, which may glide. */
  #isFitting(hz: number): boolean {
    const expected = this.#lastHz + this.#glideHz
    return Math.abs(hz - this.#now.first) <= TOLERANCE_HZ || Math.abs(hz - expected) <= TOLERANCE_HZ
  }

  #start(reading: FrameReading, frame: number): void {
    this.#sums.reset()
    this.#now.startFrame = frame
    this.#now.first = reading.first
    this.#lastLevelDb = reading.soundDb
    this.#lastChangeDb = 0
    this.#lastFlutterDb = 0
    this.#lastHz = reading.first
    this.#glideHz = 0
    this.#extend(reading, reading.first, reading.second, frame)
  }

  #extend(reading: FrameReading, first: number, second: number, frame: number): void {
    const sums = this.#sums
    const run = this.#now
    sums.fitting++
    this.#followGlide(first)
    this.#followFrequency(first)
    this.#followLevel(reading.soundDb)
    sums.tone += reading.tonePower
    sums.peak = Math.max(sums.peak, reading.tonePower)
    sums.signal += reading.signalPower
    sums.noise += reading.noisePower
    sums.beside += Math.max(0, 10 ** (reading.soundDb / 10) - reading.tonePower)
    if (second > 0) {
      sums.seconds++
      sums.second += second
    }
    run.frames = frame - run.startFrame + 1
    run.sounding = sums.fitting
    run.second = 2 * sums.seconds > sums.fitting ? sums.second / sums.seconds : 0
    run.wobbleHz = sums.wobble / Math.max(1, sums.fitting - SETTLING_FRAMES)
    run.bendHz = sums.bend / Math.max(1, sums.fitting - SETTLING_FRAMES)
    run.flutterDb = sums.flutter / sums.fitting
    run.slopeDb = this.#followSlope(10 * Math.log10(reading.tonePower + 1e-9))
    run.share = sums.signal > 0 ? sums.tone / sums.signal : 0
    run.noise = sums.tone > 0 ? sums.noise / sums.tone : 0
    run.besideDb = 10 * Math.log10(sums.beside / sums.fitting + 1e-9)
    run.levelDb = 10 * Math.log10(sums.tone / sums.fitting + 1e-9)
    run.peakDb = 10 * Math.log10(sums.peak + 1e-9)
    this.#misses = 0
    this.#others = 0
    this.#otherHz = 0
  }

  /** Tracks how fast the frequency changes; deviations from an even glide are its bend. */
  #followGlide(hz: number): void {
    const sums = this.#sums
    const change = hz - this.#lastHz
    const off = Math.abs(change - this.#glideHz)
    if (sums.fitting > SETTLING_FRAMES) sums.bend += Math.min(MAX_BEND_HZ, off)
    if (sums.fitting > 1) this.#glideHz += GLIDE_SHARE * (change - this.#glideHz)
  }

  /** Returns the slope between the first and last frames, excluding those that are filled only partly. */
  #followSlope(levelDb: number): number {
    const { fitting } = this.#sums
    if (fitting <= SETTLING_FRAMES + 1) this.#firstToneDb = levelDb
    const slope = fitting <= 6 ? 0 : (this.#lastToneDb - this.#firstToneDb) / (fitting - 4)
    this.#lastToneDb = levelDb
    return slope
  }

  /** Tracks level changes; an even swell or fade is not flutter. */
  #followLevel(levelDb: number): void {
    const sums = this.#sums
    sums.flutter += this.#lastFlutterDb
    const change = sums.fitting <= 2 ? 0 : levelDb - this.#lastLevelDb
    const bend = BEND_SHARE * Math.abs(change - this.#lastChangeDb)
    this.#lastFlutterDb = Math.min(Math.abs(change), bend)
    this.#lastChangeDb = change
    this.#lastLevelDb = levelDb
  }

  /**
   * Tracks the tone's frequency. The first frames are filled only partly, so their frequency is random; two
   * that agree are accepted.
   */
  #followFrequency(hz: number): void {
    const sums = this.#sums
    const run = this.#now
    const isSettled = sums.fitting > SETTLING_FRAMES
    const isAgreed = Math.abs(hz - this.#lastHz) <= AGREEMENT_HZ
    const isElsewhere = Math.abs(hz - run.first) >= MAX_WOBBLE_HZ
    this.#lastHz = hz
    if (!isSettled || (isAgreed && isElsewhere)) run.first = hz
    const off = Math.max(-MAX_WOBBLE_HZ, Math.min(MAX_WOBBLE_HZ, hz - run.first))
    run.first += off / Math.min(sums.fitting, MEAN_FRAMES)
    sums.wobble += isElsewhere && isSettled ? MAX_WOBBLE_HZ : Math.abs(off)
  }

  #end(): void {
    Object.assign(this.ended, this.#now)
    this.#now.frames = 0
    this.#misses = 0
    this.#others = 0
    this.#otherHz = 0
  }
}
