/**
 * What a leg says, as events. One detector finds where speech begins and ends, whatever the engine; the engine
 * turns each utterance into words. Audio, utterances and waits are limited; what goes wrong is an event.
 */

import { SpeechDetector } from '../amd/speech-detector.js'
import {
  type Outcome,
  type RecognitionEngine,
  RecognitionError,
  type RecognitionParams,
} from './engine.js'

export type RecognitionEvent =
  /** Times are ms from the first sample. */
  | { readonly type: 'speech-began'; readonly atMs: number }
  | { readonly type: 'utterance-ended'; readonly atMs: number }
  | ({ readonly type: 'final' } & Outcome)
  | { readonly type: 'failed'; readonly error: RecognitionError }

export interface HeardParams extends RecognitionParams {
  /** Silence that ends an utterance, ms. */
  readonly endSilenceMs?: number
  /** Maximum length of an utterance, ms; longer speech is several utterances. */
  readonly maxSpeechMs?: number
}

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const END_SILENCE_MS = 800
const MAX_SPEECH_MS = 60_000
/** Audio before the detected start that belongs to the utterance: soft consonants. */
const LEAD_FRAMES = 300 / FRAME_MS
/** Frames that are kept before speech is known to have begun. */
const KEPT_FRAMES = 2_000 / FRAME_MS
/** Utterances of one leg that wait for their words. */
const MAX_WAITING = 8

export class Recognition implements Disposable {
  readonly #engine: RecognitionEngine
  readonly #params: HeardParams
  readonly #onEvent: (event: RecognitionEvent) => void
  readonly #stop = new AbortController()
  readonly #detector: SpeechDetector
  readonly #partial = new Int16Array(FRAME_SAMPLES)
  #partialLength = 0
  /** The latest frames, or the utterance so far; `#kept[0]` is frame `#from`. */
  #kept: Int16Array[] = []
  #from = 0
  #isOpen = false
  #waiting = 0
  #work: Promise<void> = Promise.resolve()

  constructor(
    engine: RecognitionEngine,
    params: HeardParams,
    onEvent: (event: RecognitionEvent) => void,
  ) {
    this.#engine = engine
    this.#params = params
    this.#onEvent = onEvent
    this.#detector = this.#newDetector()
  }

  /** Adds any number of 16-bit samples at 8 kHz. */
  push(samples: Int16Array): void {
    for (let at = 0; at < samples.length && !this.#stop.signal.aborted; ) {
      const part = samples.subarray(at, at + FRAME_SAMPLES - this.#partialLength)
      this.#partial.set(part, this.#partialLength)
      this.#partialLength += part.length
      at += part.length
      if (this.#partialLength < FRAME_SAMPLES) return
      this.#partialLength = 0
      this.#onFrame(this.#partial.slice())
    }
  }

  /** Ends the audio; resolves when every utterance has its words. */
  async end(): Promise<void> {
    if (this.#isOpen) this.#endUtterance(this.#from + this.#kept.length)
    await this.#work
  }

  /** Resolves when the words of every utterance so far are known. */
  async settled(): Promise<void> {
    await this.#work
  }

  /** Gives up: no event follows. */
  [Symbol.dispose](): void {
    this.#stop.abort()
    this.#kept = []
  }

  #newDetector(): SpeechDetector {
    return new SpeechDetector({ endSilenceMs: this.#params.endSilenceMs ?? END_SILENCE_MS })
  }

  #onFrame(frame: Int16Array): void {
    this.#kept.push(frame)
    const edge = this.#detector.push(frame)
    if (edge?.type === 'began') this.#beginUtterance(edge.frame)
    if (edge?.type === 'ended' && this.#isOpen) this.#endUtterance(edge.frame)
    if (!this.#isOpen) this.#forget(this.#kept.length - KEPT_FRAMES)
    else if (this.#kept.length * FRAME_MS >= (this.#params.maxSpeechMs ?? MAX_SPEECH_MS)) {
      const end = this.#from + this.#kept.length
      this.#endUtterance(end)
      if (this.#detector.isSpeech) this.#beginUtterance(end)
    }
  }

  #beginUtterance(first: number): void {
    this.#isOpen = true
    this.#forget(first - LEAD_FRAMES - this.#from)
    this.#tell({ type: 'speech-began', atMs: first * FRAME_MS })
  }

  #endUtterance(end: number): void {
    this.#isOpen = false
    const samples = joined(this.#kept)
    this.#forget(this.#kept.length)
    this.#tell({ type: 'utterance-ended', atMs: end * FRAME_MS })
    if (this.#waiting >= MAX_WAITING) {
      this.#tell({ type: 'failed', error: new RecognitionError('the engine is too slow') })
      return
    }
    this.#waiting++
    const words = this.#recognise(samples)
    // Words are told in the order in which they were said.
    this.#work = this.#work.then(async () => {
      this.#tell(await words)
      this.#waiting--
    })
  }

  async #recognise(samples: Int16Array): Promise<RecognitionEvent> {
    try {
      const outcome = await this.#engine.recognise(samples, this.#params, this.#stop.signal)
      return { type: 'final', ...outcome }
    } catch (error) {
      if (error instanceof RecognitionError) return { type: 'failed', error }
      return {
        type: 'failed',
        error: new RecognitionError('the engine failed', { cause: error }),
      }
    }
  }

  #forget(count: number): void {
    if (count <= 0) return
    this.#kept.splice(0, count)
    this.#from += count
  }

  #tell(event: RecognitionEvent): void {
    if (!this.#stop.signal.aborted) this.#onEvent(event)
  }
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(frames.length * FRAME_SAMPLES)
  for (const [index, frame] of frames.entries()) all.set(frame, index * FRAME_SAMPLES)
  return all
}
