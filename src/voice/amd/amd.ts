/**
 * Answering-machine detection as a pure function from audio to events: no clock, no I/O. Time is the
 * audio itself, from the first frame on, which should be the first one after the answer.
 *
 *     const detector = createDetector(params)
 *     for each frame: for (const event of detector.push(frame)) …
 *     no more audio (hang-up, no media): detector.end()
 *
 * After the last event `push` does nothing.
 *
 * With a correction window, detection continues after `human`: the detector restarts, and a machine or
 * fax that it then finds is a correction. So talk that continued counts, and the short word before the
 * pause does not.
 */
import { BandTones } from './detector/band-tones.js'
import type { BeepJudge } from './detector/beep-network.js'
import { Cough } from './detector/cough.js'
import { FrameReading } from './detector/frame-reading.js'
import { RecentSpectra } from './detector/recent-spectra.js'
import { FRAME_MS, FRAME_SAMPLES, Spectrum } from './detector/spectrum.js'
import { Talk } from './detector/talk.js'
import type { ToneName } from './detector/tone-name.js'
import { Tones } from './detector/tones.js'
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

/** The detector's parameters, all in ms of audio. `detection-plan.ts` creates them from a request. */
export interface DetectorParams extends VerdictParams {
  /** Time after `human` in which that verdict may be corrected; undefined when a verdict is final. */
  readonly correctionWindowMs?: number | undefined
}

/** An event of the detector. `atMs` counts from the first frame. */
export type DetectorEvent =
  /** The first word began at `startedAtMs`. Repeated if that word turned out to be noise. */
  | { readonly type: 'speech-started'; readonly atMs: number; readonly startedAtMs: number }
  /** A supposed word was noise, such as a click or a dish. */
  | { readonly type: 'noise-heard'; readonly atMs: number; readonly startedAtMs: number }
  /** All sounds so far were coughs, which are not talk. */
  | { readonly type: 'cough-heard'; readonly atMs: number; readonly startedAtMs: number }
  | {
      readonly type: 'tone-heard'
      readonly atMs: number
      readonly tone: ToneName
      readonly startedAtMs: number
      readonly durationMs: number
    }
  /**
   * A machine answered. Sent only in mode `detect-message-end`, before the verdict that reports how its
   * greeting ended.
   */
  | { readonly type: 'machine-started'; readonly atMs: number }
  /**
   * The verdict. `atMs` is MachineDetectionDuration. It is the last event, unless it is `human` and may be
   * corrected.
   */
  | { readonly type: 'verdict'; readonly atMs: number; readonly answeredBy: AnsweredBy }
  /** The verdict `human` was wrong: it is a machine or a fax. The last event. */
  | { readonly type: 'correction'; readonly atMs: number; readonly answeredBy: AnsweredBy }
  /** The verdict `human` is final. The last event. */
  | { readonly type: 'correction-window-closed'; readonly atMs: number }

export interface Detector {
  readonly answeredBy: AnsweredBy | undefined
  /** True after the last event. */
  readonly isOver: boolean
  /** Handles any number of 16-bit linear samples at 8 kHz. Returns no events for most frames. */
  push(samples: Int16Array): readonly DetectorEvent[]
  /** Ends the audio. Returns the last event, or none if it was already returned. */
  end(): readonly DetectorEvent[]
}

/** Minimum length of a cough in frames; a shorter noise is a click. */
const MIN_COUGH_FRAMES = 200 / FRAME_MS
const NOTHING: readonly DetectorEvent[] = Object.freeze([])
/** Duration of the first and last sounds of talk that are too soft to be detected, ms. */
const EDGES_MS = 100
/** Maximum time in frames that a running tone delays a verdict by silence. */
const MAX_WAIT_FRAMES = 1800 / FRAME_MS

const HELD_MS = 2000

export function createDetector(params: DetectorParams): Detector {
  return new AudioDetector(params)
}

/** Returns the last event of a detector whose audio ends. `answeredBy` is its verdict so far. */
export function eventAtEnd(
  stage: Stage,
  answeredBy: AnsweredBy | undefined,
  heardMs: number,
): DetectorEvent {
  const atMs = heardMs - (heardMs % FRAME_MS)
  if (answeredBy !== undefined) return { type: 'correction-window-closed', atMs }
  return { type: 'verdict', atMs, answeredBy: judgeAtEnd(stage) }
}

/** True when a detector with these parameters emits nothing after the event. */
export function isLastEvent(
  event: DetectorEvent,
  { correctionWindowMs }: Pick<DetectorParams, 'correctionWindowMs'>,
): boolean {
  if (event.type === 'verdict')
    return correctionWindowMs === undefined || event.answeredBy !== 'human'
  return event.type === 'correction' || event.type === 'correction-window-closed'
}

class AudioDetector implements Detector {
  readonly #params: DetectorParams
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #filled = 0
  #judgement: Judgement
  #answeredBy: AnsweredBy | undefined
  #correctableUntilMs = 0
  #isOver = false

  constructor(params: DetectorParams) {
    this.#params = params
    this.#judgement = new Judgement(params, 0)
  }

  get answeredBy(): AnsweredBy | undefined {
    return this.#answeredBy
  }

  get isOver(): boolean {
    return this.#isOver
  }

  push(samples: Int16Array): readonly DetectorEvent[] {
    let events = NOTHING
    for (let i = 0; i < samples.length && !this.#isOver; i++) {
      this.#frame[this.#filled++] = samples[i] ?? 0
      if (this.#filled < FRAME_SAMPLES) continue
      this.#filled = 0
      const heard = this.#onFrame()
      if (heard.length > 0) events = events.length === 0 ? heard : [...events, ...heard]
    }
    return events
  }

  end(): readonly DetectorEvent[] {
    if (this.#isOver) return NOTHING
    const { stage, elapsedMs } = this.#judgement
    return this.#say(eventAtEnd(stage, this.#answeredBy, elapsedMs), NOTHING)
  }

  #onFrame(): readonly DetectorEvent[] {
    const events = this.#judgement.onFrame(this.#frame)
    const { verdict, stage, elapsedMs: atMs } = this.#judgement
    if (this.#answeredBy === undefined)
      return verdict === undefined
        ? events
        : this.#say({ type: 'verdict', atMs, answeredBy: verdict }, events)
    if (verdict === undefined || verdict === 'human' || verdict === 'unknown') {
      if (stage === 'listening' && atMs >= this.#correctableUntilMs)
        return this.#say({ type: 'correction-window-closed', atMs }, events)
      if (verdict !== undefined) this.#judgement = new Judgement(this.#params, atMs)
      return events
    }
    return this.#say({ type: 'correction', atMs, answeredBy: verdict }, events)
  }

  /** Adds a verdict or correction; after a correctable `human`, restarts the analysis. */
  #say(event: DetectorEvent, before: readonly DetectorEvent[]): readonly DetectorEvent[] {
    if (event.type === 'verdict' || event.type === 'correction') this.#answeredBy = event.answeredBy
    this.#isOver = isLastEvent(event, this.#params)
    if (!this.#isOver) {
      this.#correctableUntilMs = event.atMs + (this.#params.correctionWindowMs ?? 0)
      this.#judgement = new Judgement(this.#params, event.atMs)
    }
    return [...before, event]
  }
}

/** Analyses a call from one moment on until there is a verdict. */
class Judgement {
  stage: Stage = 'listening'
  verdict: AnsweredBy | undefined
  readonly #params: DetectorParams
  readonly #startMs: number
  readonly #ears: Ears

  /** `startMs` is that moment, in ms of audio. */
  constructor(params: DetectorParams, startMs: number) {
    this.#params = params
    this.#startMs = startMs
    this.#ears = new Ears(params.speechEndThresholdMs, messageEndSilenceOf(params))
  }

  get elapsedMs(): number {
    return this.#startMs + this.#ears.hearing.elapsedMs
  }

  onFrame(frame: Int16Array): readonly DetectorEvent[] {
    const heard = this.#ears.onFrame(frame)
    const events = this.#startMs === 0 ? heard : heard.map((event) => later(event, this.#startMs))
    const next = judge(this.stage, this.#ears.hearing, this.#params)
    if (next === this.stage) return events
    if (next !== 'listening' && next !== 'machine') {
      this.verdict = next
      return events
    }
    this.stage = next
    return [...events, { type: 'machine-started', atMs: this.elapsedMs }]
  }
}

function talkMsOf(frames: number): number {
  return frames === 0 ? 0 : frames * FRAME_MS + EDGES_MS
}

function later<Event extends DetectorEvent>(event: Event, ms: number): Event {
  const started = 'startedAtMs' in event ? { startedAtMs: event.startedAtMs + ms } : {}
  return { ...event, atMs: event.atMs + ms, ...started }
}

/** Measures the facts about a call's audio, without a verdict. */
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
  readonly #spectra = new RecentSpectra()
  readonly #reading = new FrameReading()
  readonly #tones: Tones
  readonly #bandTones = new BandTones()
  readonly #voice = new Voice()
  readonly #talk: Talk
  readonly #cough = new Cough()
  readonly #silence: Silence
  readonly #speechEndMs: number
  #frames = 0
  #undecidedFrames = 0

  /**
   * `speechEndMs` is the silence after a person, `messageEndMs` that after a greeting. `beepJudge` replaces
   * the network while its training data is collected.
   */
  constructor(speechEndMs: number, messageEndMs: number, beepJudge?: BeepJudge) {
    this.#tones = new Tones(this.#spectra, beepJudge)
    this.#speechEndMs = speechEndMs
    this.#talk = new Talk(speechEndMs)
    this.#silence = new Silence(messageEndMs)
  }

  /** Handles a frame of FRAME_SAMPLES and updates `hearing`. */
  onFrame(frame: Int16Array): readonly DetectorEvent[] {
    this.#spectrum.onFrame(frame)
    this.#spectra.note(this.#frames, this.#spectrum.power)
    this.#reading.read(this.#spectrum.power)
    this.#talk.onFrame(this.#reading.levelDb, this.#voice.onFrame(this.#spectrum.power))
    this.#cough.onFrame(this.#spectrum.power, this.#reading.soundDb)
    const tone = this.#toneAt(this.#frames)
    this.#frames++
    const sounding = this.#tones.soundingFrames(this.#talk)
    if (sounding > 0) this.#talk.markTone(this.#frames - sounding - 1)
    const wordBefore = this.#talk.firstWordAt
    this.#talk.judge()
    const { hasEnded, talkFrames, droppedFrames } = this.#talk
    const isCough = hasEnded && this.#cough.isAll(talkFrames)
    if (isCough) this.#dropTalk()
    this.#note(tone)
    const isDroppedCough = droppedFrames >= MIN_COUGH_FRAMES && this.#cough.isAll(droppedFrames)
    return this.#report(tone, wordBefore, isCough || isDroppedCough ? 'cough-heard' : 'noise-heard')
  }

  #dropTalk(): void {
    this.#talk.markTone(this.#talk.firstWordAt ?? 0)
    this.#talk.judge()
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
    hearing.talkMs = talkMsOf(this.#talk.talkFrames)
    hearing.hasTalkEnded = this.#talk.hasEnded
    if (tone === 'special-information') this.#silence.interrupt(this.#speechEndMs)
    else this.#silence.onFrame(this.#talk)
    hearing.quietMs = this.#silence.ms
    hearing.messageEndMs = this.#silence.endMs
    hearing.tone = tone
    const isToneUndecided = this.#undecidedFrames > 0 && this.#undecidedFrames < MAX_WAIT_FRAMES
    hearing.isUndecided = isToneUndecided || this.#talk.hasJustBegun
  }

  #report(
    tone: ToneName | undefined,
    wordBefore: number | undefined,
    droppedAs: 'noise-heard' | 'cough-heard',
  ): readonly DetectorEvent[] {
    const atMs = this.hearing.elapsedMs
    if (tone !== undefined) {
      const startedAtMs = this.#tones.startFrame * FRAME_MS
      const durationMs = this.#tones.frames * FRAME_MS
      return [{ type: 'tone-heard', atMs, tone, startedAtMs, durationMs }]
    }
    const word = this.#talk.firstWordAt
    if (word === undefined && wordBefore !== undefined)
      return [{ type: droppedAs, atMs, startedAtMs: wordBefore * FRAME_MS }]
    if (word === undefined || wordBefore !== undefined) return NOTHING
    return [{ type: 'speech-started', atMs, startedAtMs: word * FRAME_MS }]
  }
}

/**
 * Measures the silence after a greeting. In noise, a greeting's quiet words are below the threshold of talk,
 * so the end would be declared before its beep. So silence that would end the message must also be silence by
 * a lower threshold, which can delay the end by HELD_MS at most.
 */
class Silence {
  /** Milliseconds since the last word or information tone. */
  ms = 0
  #endMs: number
  #quietMs = 0
  #heldMs = 0

  /** `endMs` is the silence that ends a message. */
  constructor(endMs: number) {
    this.#endMs = endMs
  }

  onFrame(talk: Talk): void {
    this.#quietMs = Math.min(this.#quietMs + FRAME_MS, talk.quietFrames * FRAME_MS)
    this.ms = this.#quietMs
    if (this.#quietMs < this.#endMs) {
      this.#heldMs = 0
      return
    }
    const hushMs = talk.hushFrames() * FRAME_MS
    if (hushMs >= this.#endMs || this.#heldMs >= HELD_MS) return
    this.#heldMs += FRAME_MS
    this.ms = hushMs
  }

  /** The silence that ends the message, ms. */
  get endMs(): number {
    return this.#endMs
  }

  /**
   * Restarts the measurement at information tones. No beep follows an announcement of the network, so `endMs`
   * of silence end it.
   */
  interrupt(endMs: number): void {
    this.#endMs = endMs
    this.#quietMs = 0
    this.#heldMs = 0
    this.ms = 0
  }
}
