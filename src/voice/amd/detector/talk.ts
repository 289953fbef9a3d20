/**
 * Finds talk and pauses, judged anew at each frame over the last twenty seconds. A frame of talk is
 * likely a voice and not far below the loudest of it. The noise is the level that a twentieth of the
 * frames stay below. The voice is the level of the loudest 100 ms that are likely a voice. Frames
 * more than 65 % of the way up from noise to voice are loud enough for talk. So a background voice is no
 * longer talk once a nearer voice speaks, and a noise that was there first is not taken for talk
 * afterwards.
 */
import { NearVoice } from './near-voice.js'
import { FRAME_MS } from './spectrum.js'
import { LOOKAHEAD } from './voice-input.js'

/** The number of remembered frames: 20.48 s. It is a power of two, for the wrap. */
const REMEMBERED = 1024
const WRAP = REMEMBERED - 1
const LOWEST_DB = -66
/** The step in dB in which levels are counted. */
const STEP_DB = 0.5
const LEVELS = 1 - LOWEST_DB / STEP_DB
const NOISE_SHARE = 0.05
const VOICE_FRAMES = 5
/** The least variation of a voice that speaks to us. Several voices in the background vary less. */
const CLEAR_RANGE_DB = 10
const LOW_SHARE = 0.03
const HIGH_SHARE = 0.15
const REACH = 6
/** The least distance of a voice above the noise, as a multiple of the noise's own reach. */
const MIN_RANGE = 1
/** How far above the noise talk is, as a share of the way up to the voice. */
const ABOVE_NOISE = 0.65
const MAX_REACH_DB = 6
const MIN_REACH_DB = 3
/** The most in dB that talk may be below the loudest of the voice. */
const MAX_DEPTH_DB = 28
/** The lowest level of talk. */
const LOWEST_TALK_DB = -50
/** How far above the noise the soft words of a greeting are, as a share of the way up to talk. */
const HUSH = 0.2
/**
 * Likely frames within so many dB of the voice are near its loudest, and within more where the voice
 * stands further out of the level that a quarter of the frames stay below: there is less behind it.
 */
const NEAR = { db: 6, clearDb: 26, clearShare: 0.5, quietShare: 0.25, likely: 0.6 }
const BEFORE_FRAMES = 3000 / FRAME_MS
const MIN_SOUND_FRAMES = 60 / FRAME_MS
const MIN_WORD_FRAMES = 60 / FRAME_MS
/**
 * The most of a pause that counts as talk. A longer pause belongs to the utterance, but nobody
 * talks in it.
 */
const BRIDGE_FRAMES = 800 / FRAME_MS
/** The least likelihood of a frame of talk. */
const LIKELY = 0.2
/**
 * A sound that is no talk but may be the voice, however unlikely: within so many dB of its loudest,
 * and louder than all that was heard until shortly before the first word. Where hardly anything was,
 * the noise is so far below the voice. The silence that ends a talk does not go on meanwhile, for so
 * long at most; the first such frames are the word's echo.
 */
const MAYBE = {
  depthDb: 12,
  onsetFrames: 240 / FRAME_MS,
  fewestBefore: 200 / FRAME_MS,
  clearDb: 32,
  echoFrames: 80 / FRAME_MS,
  mostFrames: 1200 / FRAME_MS,
}
/** A talk has at least so many frames that are more likely a voice than not. */
const SURE = 0.3
const MIN_SURE_FRAMES = 100 / FRAME_MS
/** The longest time for which a word that is not certain delays a judgement by silence. */
const UNSURE_FRAMES = 600 / FRAME_MS
/**
 * The least likelihood of a word's soft beginning and of its soft end. Noise hides their level, so it
 * alone tells how long they last.
 */
const LIKELY_SOFT = 0.15
/** The longest soft beginning of a word. */
const ONSET_FRAMES = 100 / FRAME_MS
/** A frame that is less likely a voice cannot be the soft words of a greeting. */
const LIKELY_AT_ALL = 0.02
/** A frame that is less likely a voice is none. */
const NO_VOICE = 0.05
/** A tone that is likelier a voice is a steady vowel. */
const VOWEL = 0.9
/** The least talk before a silence; less was a click or a cough. */
const MIN_TALK_FRAMES = 160 / FRAME_MS

export class Talk {
  /** All talk so far in frames: words and the pauses between them. */
  talkFrames = 0
  /**
   * Frames since the last word, of a voice in the background too, or since the first frame when there
   * was no word.
   */
  quietFrames = 0
  /** True when a talk was followed by the silence that ends a talk. */
  hasEnded = false
  /** The length of the sound that was dropped last, because it was too short or hardly a voice. */
  droppedFrames = 0
  /** Frames from the first frame to the start of the first word; undefined before a word. */
  firstWordAt: number | undefined
  readonly #levels = new Float64Array(REMEMBERED)
  readonly #isTone = new Uint8Array(REMEMBERED)
  readonly #likely = new Float32Array(REMEMBERED)
  readonly #counts = new Int32Array(LEVELS)
  /** The levels of likely frames only. */
  readonly #voiceCounts = new Int32Array(LEVELS)
  #voiced = 0
  #sureFrames = 0
  readonly #near = new NearVoice(REMEMBERED)
  readonly #endFrames: number
  #counted = 0
  #frames = 0
  #before = LOWEST_DB
  #last = LOWEST_DB
  #thresholdDb = Number.POSITIVE_INFINITY
  #noiseDb = LOWEST_DB
  #clearVoiceDb = Number.NEGATIVE_INFINITY
  #voiceDb = LOWEST_DB
  #nearDb = 0
  /** The level above which a sound after the first word may be the voice. */
  #maybeDb = 0

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

  /** True while the first word has just begun and may still be a noise. */
  get hasJustBegun(): boolean {
    const word = this.firstWordAt
    return this.talkFrames === 0 && word !== undefined && this.#frames - word < UNSURE_FRAMES
  }

  /** `likelihood` is the voice's, of the frame of LOOKAHEAD frames ago. */
  onFrame(levelDb: number, likelihood: number): void {
    const level = Math.max(LOWEST_DB, Math.min(0, levelDb))
    const at = this.#frames & WRAP
    if (this.#frames >= REMEMBERED && this.#isTone[at] === 0) {
      this.#count(at, -1)
      this.#countVoice(at, -1)
    }
    this.#levels[at] = (this.#before + this.#last + level) / 3
    this.#isTone[at] = 0
    this.#likely[at] = 0
    this.#before = this.#last
    this.#last = level
    this.#frames++
    this.#count(at, 1)
    const judged = this.#frames - 1 - LOOKAHEAD
    if (judged < 0) return
    this.#likely[judged & WRAP] = likelihood
    if (this.#isTone[judged & WRAP] === 0) this.#countVoice(judged & WRAP, 1)
  }

  /** Marks the frames from `from` to the newest as a tone, not talk. */
  markTone(from: number): void {
    for (let i = Math.max(from, this.#frames - REMEMBERED, 0); i < this.#frames; i++) {
      const at = i & WRAP
      if (this.#isTone[at] === 1) continue
      this.#isTone[at] = 1
      this.#count(at, -1)
      this.#countVoice(at, -1)
    }
  }

  /** Brings the fields up to date with the frames so far. */
  judge(): void {
    this.#setThreshold()
    const threshold = this.#thresholdDb
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    this.talkFrames = 0
    this.droppedFrames = 0
    this.#sureFrames = 0
    this.hasEnded = false
    this.firstWordAt = undefined
    this.#near.judge(oldest, this.#frames, (i) => this.#isNearLoudest(i))
    let wordEnd = oldest
    let run = 0
    let maybe = 0
    for (let i = oldest; i < this.#frames; i++) {
      run = this.#isTalk(i, threshold, LIKELY) && this.#near.has(i) ? run + 1 : 0
      if (run === MIN_WORD_FRAMES) this.#beginWord(i + 1 - run, wordEnd)
      const isWord = run >= MIN_WORD_FRAMES
      if (isWord || this.#isFading(i, wordEnd)) {
        if (run !== MIN_WORD_FRAMES) this.#countTalk(1)
        if ((this.#likely[i & WRAP] ?? 0) > SURE) this.#sureFrames++
        wordEnd = i + 1
        maybe = 0
      } else {
        if (this.#isTalk(i, this.#maybeDb, 0)) maybe++
        this.#noteSilence(i + 1 - wordEnd - heldFrames(maybe))
      }
    }
    const silent = this.#framesSince(threshold, LIKELY, MIN_WORD_FRAMES)
    this.quietFrames = Math.min(this.#frames - wordEnd, silent)
    if (this.#sureFrames < MIN_SURE_FRAMES) this.talkFrames = 0
  }

  /** Frames since a sound stood out of the noise at all, even more softly than a word. */
  hushFrames(): number {
    return this.#framesSince(this.#hushDb, LIKELY_AT_ALL, MIN_SOUND_FRAMES)
  }

  /** Frames since the last `fewest` frames in a row that were that loud and that likely a voice. */
  #framesSince(db: number, least: number, fewest: number): number {
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    let run = 0
    for (let i = this.#frames - 1; i >= oldest; i--) {
      run = this.#isTalk(i, db, least) ? run + 1 : 0
      if (run === fewest) return this.#frames - i - run
    }
    return this.#frames - oldest
  }

  /** Frames of the three seconds before `frame` that are louder than `db` and no voice. */
  loudFramesBefore(frame: number, db: number): number {
    let loud = 0
    for (let i = Math.max(frame - BEFORE_FRAMES, this.#frames - REMEMBERED, 0); i < frame; i++) {
      const isVoice = (this.#likely[i & WRAP] ?? 0) > NO_VOICE
      if (!isVoice && (this.#levels[i & WRAP] ?? 0) > db) loud++
    }
    return loud
  }

  /** The mean likelihood of a voice in some of the remembered frames. */
  likelihoodOf(startFrame: number, frames: number): number {
    let sum = 0
    for (let i = startFrame; i < startFrame + frames; i++) sum += this.#likely[i & WRAP] ?? 0
    return sum / Math.max(1, frames)
  }

  get #hushDb(): number {
    return this.#noiseDb + HUSH * (this.#thresholdDb - this.#noiseDb)
  }

  #isTalk(frame: number, db: number, least: number): boolean {
    const at = frame & WRAP
    const likely = this.#likely[at] ?? 0
    const isTone = this.#isTone[at] === 1 && likely < VOWEL
    return likely > least && !isTone && (this.#levels[at] ?? 0) > db
  }

  #isNearLoudest(frame: number): boolean {
    const at = frame & WRAP
    return (this.#likely[at] ?? 0) > NEAR.likely && (this.#levels[at] ?? 0) > this.#nearDb
  }

  /** True when the word that ended with the frame before goes on more softly. */
  #isFading(frame: number, wordEnd: number): boolean {
    return this.firstWordAt !== undefined && wordEnd === frame && this.#isSoft(frame)
  }

  #isSoft(frame: number): boolean {
    return this.#isTalk(frame, this.#noiseDb, LIKELY_SOFT)
  }

  #beginWord(clearStart: number, previousEnd: number): void {
    if (this.hasEnded) return
    const start = this.#onsetOf(clearStart, previousEnd)
    const pause = this.firstWordAt === undefined ? 0 : start - previousEnd
    if (this.firstWordAt === undefined) this.#maybeDb = this.#levelBehind(start)
    this.firstWordAt ??= start
    this.#countTalk(clearStart - start + MIN_WORD_FRAMES + Math.min(BRIDGE_FRAMES, pause))
  }

  /** The level that nothing behind the voice reaches, as far as it was heard before the first word. */
  #levelBehind(firstWordAt: number): number {
    const near = this.#voiceDb - MAYBE.depthDb
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    const end = firstWordAt - MAYBE.onsetFrames
    if (end - oldest < MAYBE.fewestBefore)
      return this.#voiceDb - this.#noiseDb < MAYBE.clearDb ? 0 : near
    let loudest = near
    for (let i = oldest; i < end; i++) loudest = Math.max(loudest, this.#levels[i & WRAP] ?? 0)
    return loudest
  }

  /** The first frame of a word that began more softly. */
  #onsetOf(clearStart: number, previousEnd: number): number {
    const earliest = Math.max(previousEnd, clearStart - ONSET_FRAMES)
    let start = clearStart
    while (start > earliest && this.#isSoft(start - 1)) start--
    return start
  }

  #countTalk(frames: number): void {
    if (!this.hasEnded) this.talkFrames += frames
  }

  /** Ends the talk after a long silence, or drops it when it was too short for a talk. */
  #noteSilence(frames: number): void {
    if (this.hasEnded || this.firstWordAt === undefined || frames < this.#endFrames) return
    if (this.talkFrames >= MIN_TALK_FRAMES && this.#sureFrames >= MIN_SURE_FRAMES) {
      this.hasEnded = true
      return
    }
    this.droppedFrames = this.talkFrames
    this.firstWordAt = undefined
    this.talkFrames = 0
    this.#sureFrames = 0
  }

  #setThreshold(): void {
    const noise = levelBelow(this.#counts, NOISE_SHARE * this.#counted)
    const voice = levelBelow(this.#voiceCounts, this.#voiced - VOICE_FRAMES)
    const reach = this.#noiseReach()
    const standsOut = voice - noise >= MIN_RANGE * Math.min(reach, MAX_REACH_DB)
    const isKnown = this.#voiced >= VOICE_FRAMES && standsOut
    const quiet = levelBelow(this.#counts, NEAR.quietShare * this.#counted)
    this.#noiseDb = noise
    this.#voiceDb = voice
    const clear = Math.max(0, voice - quiet - NEAR.clearDb)
    this.#nearDb = voice - NEAR.db - NEAR.clearShare * clear
    this.#clearVoiceDb =
      isKnown && voice - noise >= CLEAR_RANGE_DB ? voice : Number.NEGATIVE_INFINITY
    const aboveNoise = noise + Math.min(ABOVE_NOISE * (voice - noise), reach)
    this.#thresholdDb = isKnown
      ? Math.max(LOWEST_TALK_DB, voice - MAX_DEPTH_DB, aboveNoise)
      : Number.POSITIVE_INFINITY
  }

  /**
   * The reach of the noise above its quiet tenth, estimated from the variation of its quiet side.
   */
  #noiseReach(): number {
    const low = levelBelow(this.#counts, LOW_SHARE * this.#counted)
    const high = levelBelow(this.#counts, HIGH_SHARE * this.#counted)
    return Math.max(MIN_REACH_DB, REACH * (high - low))
  }

  #count(at: number, change: 1 | -1): void {
    const level = this.#bucket(at)
    this.#counts[level] = (this.#counts[level] ?? 0) + change
    this.#counted += change
  }

  /** Counts a frame that is likely a voice. */
  #countVoice(at: number, change: 1 | -1): void {
    if ((this.#likely[at] ?? 0) <= LIKELY) return
    const level = this.#bucket(at)
    this.#voiceCounts[level] = (this.#voiceCounts[level] ?? 0) + change
    this.#voiced += change
  }

  #bucket(at: number): number {
    return Math.round(((this.#levels[at] ?? 0) - LOWEST_DB) / STEP_DB)
  }
}

/** The frames of silence that do not count, since the voice may have sounded in some. */
function heldFrames(maybe: number): number {
  return Math.min(MAYBE.mostFrames, Math.max(0, maybe - MAYBE.echoFrames))
}

/** The level that `frames` of the counted frames stay below. */
function levelBelow(counts: Int32Array, frames: number): number {
  let sum = 0
  for (let level = 0; level < LEVELS; level++) {
    sum += counts[level] ?? 0
    if (sum > frames) return level * STEP_DB + LOWEST_DB
  }
  return LOWEST_DB
}
