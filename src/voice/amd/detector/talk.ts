/**
 * Finds talk and pauses, judged anew at each frame over the levels of the last twenty seconds. The
 * noise is the level that a tenth of the frames stay below. The voice is the level of the loudest
 * 160 ms. Frames more than half way up from noise to voice are talk. So a background voice is no
 * longer talk once a nearer voice speaks, and a noise that was there first is not taken for talk
 * afterwards.
 */
import { FRAME_MS } from './spectrum.js'

/** The number of remembered frames: 20.48 s. It is a power of two, for the wrap. */
const REMEMBERED = 1024
const WRAP = REMEMBERED - 1
const LOWEST_DB = -66
/** The step in dB in which levels are counted. */
const STEP_DB = 0.5
const LEVELS = 1 - LOWEST_DB / STEP_DB
const NOISE_SHARE = 0.1
const VOICE_FRAMES = 8
/** The least distance of a voice above the noise, as a multiple of the noise's own reach. */
const MIN_RANGE = 1.5
/** The least variation of a voice that speaks to us. Several voices in the background vary less. */
const CLEAR_RANGE_DB = 14
const LOW_SHARE = 0.03
const HIGH_SHARE = 0.15
const REACH = 5
const MIN_REACH_DB = 5
const MAX_REACH_DB = 8
/** The most in dB that talk may be below the loudest of the voice. */
const MAX_DEPTH_DB = 20
/** The lowest level of talk. */
const LOWEST_TALK_DB = -50
/** The share of the way down from the threshold of talk to the noise at which a word has faded. */
const SOFT = 0.4
const MIN_SOUND_FRAMES = 60 / FRAME_MS
const MIN_WORD_FRAMES = 80 / FRAME_MS
/**
 * The most of a pause that counts as talk. A longer pause belongs to the utterance, but nobody
 * talks in it.
 */
const BRIDGE_FRAMES = 400 / FRAME_MS
/** The least talk before a silence; less was a click or a cough. */
const MIN_TALK_FRAMES = 160 / FRAME_MS

export class Talk {
  /** All talk so far in frames: words and the pauses between them. */
  talkFrames = 0
  /** Frames since the last word, or since the first frame when there was no word. */
  quietFrames = 0
  /** True when a talk was followed by the silence that ends a talk. */
  hasEnded = false
  /** Frames from the first frame to the start of the first word; undefined before a word. */
  firstWordAt: number | undefined
  readonly #levels = new Float64Array(REMEMBERED)
  readonly #isTone = new Uint8Array(REMEMBERED)
  readonly #counts = new Int32Array(LEVELS)
  readonly #endFrames: number
  #counted = 0
  #frames = 0
  #before = LOWEST_DB
  #last = LOWEST_DB
  #thresholdDb = Number.POSITIVE_INFINITY
  #noiseDb = LOWEST_DB
  #clearVoiceDb = Number.NEGATIVE_INFINITY

  /** `endMs` is the silence that ends a talk. */
  constructor(endMs: number) {
    this.#endFrames = Math.ceil(endMs / FRAME_MS)
  }

  /**
   * The level above which a frame is talk, in dB below full scale; Infinity while nothing stands
   * out.
   */
  get thresholdDb(): number {
    return this.#thresholdDb
  }

  /** The level of a voice that cannot be background; −Infinity when there is none. */
  get clearVoiceDb(): number {
    return this.#clearVoiceDb
  }

  onFrame(levelDb: number): void {
    const level = Math.max(LOWEST_DB, Math.min(0, levelDb))
    const at = this.#frames & WRAP
    if (this.#frames >= REMEMBERED && this.#isTone[at] === 0) this.#count(at, -1)
    this.#levels[at] = (this.#before + this.#last + level) / 3
    this.#isTone[at] = 0
    this.#before = this.#last
    this.#last = level
    this.#frames++
    this.#count(at, 1)
  }

  /** Marks the frames from `from` to the newest as a tone, not talk. */
  markTone(from: number): void {
    for (let i = Math.max(from, this.#frames - REMEMBERED, 0); i < this.#frames; i++) {
      const at = i & WRAP
      if (this.#isTone[at] === 1) continue
      this.#isTone[at] = 1
      this.#count(at, -1)
    }
  }

  /** Brings the fields up to date with the frames so far. */
  judge(): void {
    this.#setThreshold()
    const threshold = this.#thresholdDb
    const soft = this.#softThresholdDb
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    this.talkFrames = 0
    this.hasEnded = false
    this.firstWordAt = undefined
    let wordEnd = oldest
    let run = 0
    for (let i = oldest; i < this.#frames; i++) {
      run = this.#isAbove(i, threshold) ? run + 1 : 0
      if (run === MIN_WORD_FRAMES) this.#beginWord(i + 1 - run, wordEnd)
      if (run > MIN_WORD_FRAMES) this.talkFrames++
      if (run >= MIN_WORD_FRAMES || this.#isFading(i, wordEnd, soft)) wordEnd = i + 1
      else if (this.#isSilenceLong(i + 1 - wordEnd)) return
    }
    this.quietFrames = this.#frames - wordEnd
  }

  /** Frames since a sound stood out of the noise at all, even more softly than a word. */
  hushFrames(): number {
    const soft = this.#softThresholdDb
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    let run = 0
    for (let i = this.#frames - 1; i >= oldest; i--) {
      run = this.#isAbove(i, soft) ? run + 1 : 0
      if (run === MIN_SOUND_FRAMES) return this.#frames - i - run
    }
    return this.#frames - oldest
  }

  get #softThresholdDb(): number {
    return this.#noiseDb + SOFT * (this.#thresholdDb - this.#noiseDb)
  }

  #isAbove(frame: number, db: number): boolean {
    const at = frame & WRAP
    return this.#isTone[at] === 0 && (this.#levels[at] ?? 0) > db
  }

  /** True when the word that ended with the frame before goes on more softly. */
  #isFading(frame: number, wordEnd: number, soft: number): boolean {
    return this.firstWordAt !== undefined && wordEnd === frame && this.#isAbove(frame, soft)
  }

  #beginWord(start: number, previousEnd: number): void {
    const pause = this.firstWordAt === undefined ? 0 : start - previousEnd
    this.firstWordAt ??= start
    this.talkFrames += MIN_WORD_FRAMES + Math.min(BRIDGE_FRAMES, pause)
  }

  /** Ends the talk, or drops it when it was too short for a talk. */
  #isSilenceLong(frames: number): boolean {
    if (this.firstWordAt === undefined || frames < this.#endFrames) return false
    if (this.talkFrames >= MIN_TALK_FRAMES) {
      this.quietFrames = frames
      this.hasEnded = true
      return true
    }
    this.firstWordAt = undefined
    this.talkFrames = 0
    return false
  }

  #setThreshold(): void {
    const noise = this.#levelBelow(NOISE_SHARE * this.#counted)
    const voice = this.#levelBelow(this.#counted - VOICE_FRAMES)
    const range = voice - noise
    const reach = this.#noiseReach()
    this.#noiseDb = noise
    this.#clearVoiceDb = range >= CLEAR_RANGE_DB ? voice : Number.NEGATIVE_INFINITY
    this.#thresholdDb =
      range < MIN_RANGE * Math.min(reach, MAX_REACH_DB)
        ? Number.POSITIVE_INFINITY
        : Math.max(
            LOWEST_TALK_DB,
            voice - MAX_DEPTH_DB,
            Math.min((noise + voice) / 2, noise + reach),
          )
  }

  /**
   * The reach of the noise above its quiet tenth, estimated from the variation of its quiet side.
   */
  #noiseReach(): number {
    const low = this.#levelBelow(LOW_SHARE * this.#counted)
    const high = this.#levelBelow(HIGH_SHARE * this.#counted)
    return Math.max(MIN_REACH_DB, REACH * (high - low))
  }

  #count(at: number, change: 1 | -1): void {
    const level = Math.round(((this.#levels[at] ?? 0) - LOWEST_DB) / STEP_DB)
    this.#counts[level] = (this.#counts[level] ?? 0) + change
    this.#counted += change
  }

  /** The level that `frames` of the counted frames stay below. */
  #levelBelow(frames: number): number {
    let sum = 0
    for (let level = 0; level < LEVELS; level++) {
      sum += this.#counts[level] ?? 0
      if (sum > frames) return level * STEP_DB + LOWEST_DB
    }
    return LOWEST_DB
  }
}
