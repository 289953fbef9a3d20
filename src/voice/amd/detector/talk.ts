/**
 * Detects talk and pauses, evaluated at each frame over the last twenty seconds. A frame of talk is likely a
 * voice and not far below the loudest voice. The noise is the level of the quietest twentieth of the frames.
 * The voice is the level of the loudest 100 ms that are likely a voice. Frames more than 65 % of the way up
 * from noise to voice are loud enough for talk. So a background voice stops being talk once a nearer voice
 * speaks, and a noise that was there first does not become talk later.
 */
import { NearVoice } from './near-voice.js'
import { FRAME_MS } from './spectrum.js'
import { LOOKAHEAD } from './voice-input.js'

/** Number of stored frames: 20.48 s. It is a power of two, for the wrap. */
const REMEMBERED = 1024
const WRAP = REMEMBERED - 1
const LOWEST_DB = -66
/** Width of a level bucket, dB. */
const STEP_DB = 0.5
const LEVELS = 1 - LOWEST_DB / STEP_DB
const NOISE_SHARE = 0.05
const VOICE_FRAMES = 5
/** Minimum variation of the answering voice, dB; several voices in the background vary less. */
const CLEAR_RANGE_DB = 10
const LOW_SHARE = 0.03
const HIGH_SHARE = 0.15
const REACH = 6
/** Minimum distance of a voice above the noise, as a multiple of the noise's own variation. */
const MIN_RANGE = 1
/** Minimum level of talk, as a share of the way up from noise to voice. */
const ABOVE_NOISE = 0.65
const MAX_REACH_DB = 6
const MIN_REACH_DB = 3
/** Maximum distance of talk below the loudest voice, dB. */
const MAX_DEPTH_DB = 28
/** Minimum level of talk, dB. */
const LOWEST_TALK_DB = -50
/** Level of a greeting's soft words, as a share of the way up from noise to talk. */
const HUSH = 0.2
/**
 * Likely voice frames within this many dB of the voice are near its loudest. The limit is wider when the
 * voice is far above the level of the quietest quarter of frames, since there is less background.
 */
const NEAR = { db: 6, clearDb: 26, clearShare: 0.5, quietShare: 0.25, likely: 0.6 }
const BEFORE_FRAMES = 3000 / FRAME_MS
const MIN_SOUND_FRAMES = 60 / FRAME_MS
const MIN_WORD_FRAMES = 60 / FRAME_MS
/**
 * Maximum part of a pause that counts as talk, in frames. A longer pause belongs to the utterance, but its
 * rest is not talk.
 */
const BRIDGE_FRAMES = 800 / FRAME_MS
/** Minimum voice likelihood of a frame of talk. */
const LIKELY = 0.2
/**
 * Limits of a sound that is not talk but may be the voice despite a low likelihood: near its loudest, and
 * louder than everything until shortly before the first word. With hardly any audio before it, the noise must
 * be `clearDb` below the voice. Such frames do not count as silence, up to `mostFrames`; the first ones are
 * the word's echo.
 */
const MAYBE = {
  depthDb: 12,
  onsetFrames: 240 / FRAME_MS,
  fewestBefore: 200 / FRAME_MS,
  clearDb: 32,
  echoFrames: 80 / FRAME_MS,
  mostFrames: 1200 / FRAME_MS,
}
/** A talk needs MIN_SURE_FRAMES frames above this voice likelihood. */
const SURE = 0.3
const MIN_SURE_FRAMES = 100 / FRAME_MS
/** Maximum time in frames that an uncertain word delays a verdict by silence. */
const UNSURE_FRAMES = 600 / FRAME_MS
/**
 * Minimum voice likelihood of a word's soft start and end. Noise masks their level, so only the likelihood
 * decides.
 */
const LIKELY_SOFT = 0.15
/** Maximum soft start of a word, in frames. */
const ONSET_FRAMES = 100 / FRAME_MS
/** Minimum voice likelihood of a greeting's soft words. */
const LIKELY_AT_ALL = 0.02
/** Maximum voice likelihood of a frame that is not a voice. */
const NO_VOICE = 0.05
/** A tone with a higher voice likelihood is a steady vowel. */
const VOWEL = 0.9
/** Minimum talk before a silence, in frames; less was a click or a cough. */
const MIN_TALK_FRAMES = 160 / FRAME_MS

export class Talk {
  /** All talk so far in frames: words and the pauses between them. */
  talkFrames = 0
  /**
   * Frames since the last word, including background voices, or since the first frame when there was no word.
   */
  quietFrames = 0
  /** True when talk was followed by the silence that ends it. */
  hasEnded = false
  /** Length in frames of the last dropped sound, which was too short or hardly a voice. */
  droppedFrames = 0
  /** Frames from the first frame to the start of the first word; undefined before a word. */
  firstWordAt: number | undefined
  readonly #levels = new Float64Array(REMEMBERED)
  readonly #isTone = new Uint8Array(REMEMBERED)
  readonly #likely = new Float32Array(REMEMBERED)
  readonly #counts = new Int32Array(LEVELS)
  /** The levels of likely voice frames only. */
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

  /** `endMs` is the silence that ends talk. */
  constructor(endMs: number) {
    this.#endFrames = Math.ceil(endMs / FRAME_MS)
  }

  /**
   * The level above which a frame is talk, in dB relative to full scale; Infinity while nothing stands out.
   */
  get thresholdDb(): number {
    return this.#thresholdDb
  }

  /** The level of a voice that is certainly not in the background; −Infinity when there is none. */
  get clearVoiceDb(): number {
    return this.#clearVoiceDb
  }

  /** True while the first word has just begun and may still be noise. */
  get hasJustBegun(): boolean {
    const word = this.firstWordAt
    return this.talkFrames === 0 && word !== undefined && this.#frames - word < UNSURE_FRAMES
  }

  /** `likelihood` is that of a voice, for the frame of LOOKAHEAD frames ago. */
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

  /** Marks the frames from `from` to the newest as a tone, which is not talk. */
  markTone(from: number): void {
    for (let i = Math.max(from, this.#frames - REMEMBERED, 0); i < this.#frames; i++) {
      const at = i & WRAP
      if (this.#isTone[at] === 1) continue
      this.#isTone[at] = 1
      this.#count(at, -1)
      this.#countVoice(at, -1)
    }
  }

  /** Updates the fields for the frames so far. */
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

  /** Returns the frames since a sound stood out from the noise at all, even softer than a word. */
  hushFrames(): number {
    return this.#framesSince(this.#hushDb, LIKELY_AT_ALL, MIN_SOUND_FRAMES)
  }

  /** Returns the frames since the last `fewest` consecutive frames above this level and voice likelihood. */
  #framesSince(db: number, least: number, fewest: number): number {
    const oldest = Math.max(0, this.#frames - REMEMBERED)
    let run = 0
    for (let i = this.#frames - 1; i >= oldest; i--) {
      run = this.#isTalk(i, db, least) ? run + 1 : 0
      if (run === fewest) return this.#frames - i - run
    }
    return this.#frames - oldest
  }

  /** Returns how many frames in the three seconds before `frame` are louder than `db` and not a voice. */
  loudFramesBefore(frame: number, db: number): number {
    let loud = 0
    for (let i = Math.max(frame - BEFORE_FRAMES, this.#frames - REMEMBERED, 0); i < frame; i++) {
      const isVoice = (this.#likely[i & WRAP] ?? 0) > NO_VOICE
      if (!isVoice && (this.#levels[i & WRAP] ?? 0) > db) loud++
    }
    return loud
  }

  /** Returns the mean voice likelihood of some stored frames. */
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

  /** True when the word that ended at the frame before continues more softly. */
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

  /** Returns the level that no background sound exceeds, judging by the audio before the first word. */
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

  /** Returns the first frame of a word that began more softly. */
  #onsetOf(clearStart: number, previousEnd: number): number {
    const earliest = Math.max(previousEnd, clearStart - ONSET_FRAMES)
    let start = clearStart
    while (start > earliest && this.#isSoft(start - 1)) start--
    return start
  }

  #countTalk(frames: number): void {
    if (!this.hasEnded) this.talkFrames += frames
  }

  /** Ends the talk after a long silence, or drops it if it was too short. */
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

  /** Returns the variation of the noise above its quiet level, estimated from its quiet side. */
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

/** Returns the frames of silence that do not count, since the voice may have sounded in some. */
function heldFrames(maybe: number): number {
  return Math.min(MAYBE.mostFrames, Math.max(0, maybe - MAYBE.echoFrames))
}

/** Returns the level that `frames` of the counted frames stay below. */
function levelBelow(counts: Int32Array, frames: number): number {
  let sum = 0
  for (let level = 0; level < LEVELS; level++) {
    sum += counts[level] ?? 0
    if (sum > frames) return level * STEP_DB + LOWEST_DB
  }
  return LOWEST_DB
}
