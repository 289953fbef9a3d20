/**
 * Answering-machine detection as a pure function from audio to events: no clock, no I/O. Time is the
 * audio itself, from the first frame on, which should be the first one after the answer.
 *
 *     const detector = createDetector(params)
 *     for each frame: for (const event of detector.push(frame)) …
 *     no more audio (hang-up, no media): detector.end()
 *
 * After the verdict `push` does nothing and costs nothing.
 */
import { BandTones } from './detector/band-tones.js'
import { FrameReading } from './detector/frame-reading.js'
import { Silence } from './detector/silence.js'
import { FRAME_MS, FRAME_SAMPLES, Spectrum } from './detector/spectrum.js'
import { Talk } from './detector/talk.js'
import { type ToneName, Tones } from './detector/tones.js'
import {
  type AnsweredBy,
  type Hearing,
  judge,
  judgeAtEnd,
  messageEndSilenceOf,
  type Stage,
  type VerdictParams,
} from './detector/verdict.js'
import { Voice } from './detector/voice.js'

export type { AnsweredBy, Stage, ToneName }

/** The detector's parameters, all in ms of audio. `detection-plan.ts` makes them from a request. */
export type DetectorParams = VerdictParams

/** An event of the detector. `atMs` counts from the first frame. */
export type DetectorEvent =
  /**
   * The first word began at `startedAtMs`. The event repeats when that word turned out to be noise.
   */
  | { readonly type: 'speech-started'; readonly atMs: number; readonly startedAtMs: number }
  /** What began like a word was none: a cough, a click, a dish. */
  | { readonly type: 'noise-heard'; readonly atMs: number; readonly startedAtMs: number }
  | {
      readonly type: 'tone-heard'
      readonly atMs: number
      readonly tone: ToneName
      readonly startedAtMs: number
      readonly durationMs: number
    }
  /**
   * A machine answered. Sent only in mode `detect-message-end`, before the verdict that tells how
   * its greeting ended.
   */
  | { readonly type: 'machine-started'; readonly atMs: number }
  /** The last event. `atMs` is the convention's MachineDetectionDuration. */
  | { readonly type: 'verdict'; readonly atMs: number; readonly answeredBy: AnsweredBy }

export interface Detector {
  readonly answeredBy: AnsweredBy | undefined
  /**
   * Takes 16-bit linear samples at 8 kHz, any number of them. The answer is empty for most frames.
   */
  push(samples: Int16Array): readonly DetectorEvent[]
  /** Ends the audio: the verdict from what was heard. Empty when there was a verdict already. */
  end(): readonly DetectorEvent[]
}

const NOTHING: readonly DetectorEvent[] = Object.freeze([])
/** The longest time that a tone under way delays a judgement by silence. */
const MAX_WAIT_FRAMES = 1800 / FRAME_MS

export function createDetector(params: DetectorParams): Detector {
  return new AudioDetector(params)
}

/** The verdict of a detector in this stage when its audio ends after so many ms. */
export function verdictAtEnd(
  stage: Stage,
  heardMs: number,
): Extract<DetectorEvent, { readonly type: 'verdict' }> {
  const atMs = heardMs - (heardMs % FRAME_MS)
  return { type: 'verdict', atMs, answeredBy: judgeAtEnd(stage) }
}

class AudioDetector implements Detector {
  readonly #params: DetectorParams
  readonly #ears: Ears
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #filled = 0
  #stage: Stage = 'listening'
  #answeredBy: AnsweredBy | undefined

  constructor(params: DetectorParams) {
    this.#params = params
    this.#ears = new Ears(params.speechEndThresholdMs, messageEndSilenceOf(params))
  }

  get answeredBy(): AnsweredBy | undefined {
    return this.#answeredBy
  }

  push(samples: Int16Array): readonly DetectorEvent[] {
    let events = NOTHING
    for (let i = 0; i < samples.length && this.#answeredBy === undefined; i++) {
      this.#frame[this.#filled++] = samples[i] ?? 0
      if (this.#filled < FRAME_SAMPLES) continue
      this.#filled = 0
      const heard = this.#onFrame()
      if (heard.length > 0) events = events.length === 0 ? heard : [...events, ...heard]
    }
    return events
  }

  end(): readonly DetectorEvent[] {
    if (this.#answeredBy !== undefined) return NOTHING
    const verdict = verdictAtEnd(this.#stage, this.#ears.hearing.elapsedMs)
    this.#answeredBy = verdict.answeredBy
    return [verdict]
  }

  #onFrame(): readonly DetectorEvent[] {
    const speechEvents = this.#ears.onFrame(this.#frame)
    const { hearing } = this.#ears
    const next = judge(this.#stage, hearing, this.#params)
    if (next === this.#stage) return speechEvents
    const atMs = hearing.elapsedMs
    if (next === 'listening' || next === 'machine') {
      this.#stage = next
      return [...speechEvents, { type: 'machine-started', atMs }]
    }
    this.#answeredBy = next
    return [...speechEvents, { type: 'verdict', atMs, answeredBy: next }]
  }
}

/** The facts about the sound of a call, without a judgement on them. */
export class Ears {
  readonly hearing: Hearing = {
    elapsedMs: 0,
    talkMs: 0,
    quietMs: 0,
    messageEndMs: 0,
    hasTalkEnded: false,
    tone: undefined,
    isUndecided: false,
  }
  readonly #spectrum = new Spectrum()
  readonly #reading = new FrameReading()
  readonly #tones = new Tones()
  readonly #bandTones = new BandTones()
  readonly #voice = new Voice()
  readonly #talk: Talk
  readonly #silence: Silence
  readonly #speechEndMs: number
  #frames = 0
  #undecidedFrames = 0

  /** `speechEndMs` is the silence after a person, `messageEndMs` the one after a greeting. */
  constructor(speechEndMs: number, messageEndMs: number) {
    this.#speechEndMs = speechEndMs
    this.#talk = new Talk(speechEndMs)
    this.#silence = new Silence(messageEndMs)
  }

  /** Takes a frame of FRAME_SAMPLES and leaves the facts in `hearing`. */
  onFrame(frame: Int16Array): readonly DetectorEvent[] {
    this.#spectrum.onFrame(frame)
    this.#reading.read(this.#spectrum.power)
    this.#talk.onFrame(this.#reading.levelDb, this.#voice.onFrame(this.#spectrum.power))
    const tone = this.#toneAt(this.#frames)
    this.#frames++
    const sounding = this.#tones.soundingFrames
    if (sounding > 0) this.#talk.markTone(this.#frames - sounding - 1)
    const wordBefore = this.#talk.firstWordAt
    this.#talk.judge()
    this.#note(tone)
    return this.#report(tone, wordBefore)
  }

  #toneAt(frame: number): ToneName | undefined {
    const single = this.#tones.onFrame(this.#reading, frame, this.#talk)
    const band = this.#bandTones.onFrame(this.#spectrum.power)
    if (band === undefined) return single
    this.#tones.note(frame - this.#bandTones.frames + 1, this.#bandTones.frames)
    return band
  }

  #note(tone: ToneName | undefined): void {
    const { hearing } = this
    this.#undecidedFrames = this.#tones.isUndecided ? this.#undecidedFrames + 1 : 0
    hearing.elapsedMs = this.#frames * FRAME_MS
    hearing.talkMs = this.#talk.talkFrames * FRAME_MS
    hearing.hasTalkEnded = this.#talk.hasEnded
    if (tone === 'special-information') this.#silence.interrupt(this.#speechEndMs)
    else this.#silence.onFrame(this.#talk)
    hearing.quietMs = this.#silence.ms
    hearing.messageEndMs = this.#silence.endMs
    hearing.tone = tone
    const isToneUndecided = this.#undecidedFrames > 0 && this.#undecidedFrames < MAX_WAIT_FRAMES
    hearing.isUndecided = isToneUndecided || this.#talk.hasJustBegun
  }

  #report(tone: ToneName | undefined, wordBefore: number | undefined): readonly DetectorEvent[] {
    const atMs = this.hearing.elapsedMs
    if (tone !== undefined) {
      const startedAtMs = this.#tones.startFrame * FRAME_MS
      const durationMs = this.#tones.frames * FRAME_MS
      return [{ type: 'tone-heard', atMs, tone, startedAtMs, durationMs }]
    }
    const word = this.#talk.firstWordAt
    if (word === undefined && wordBefore !== undefined)
      return [{ type: 'noise-heard', atMs, startedAtMs: wordBefore * FRAME_MS }]
    if (word === undefined || wordBefore !== undefined) return NOTHING
    return [{ type: 'speech-started', atMs, startedAtMs: word * FRAME_MS }]
  }
}
