/** What turns an utterance into words. */
import { AdapterError } from '../../platform/errors.js'

export interface RecognitionParams {
  /** BCP 47, such as `en-US`; undefined: the engine detects the language. */
  readonly language?: string | undefined
  /** Words and phrases that are likely. */
  readonly hints?: readonly string[] | undefined
}

export interface Outcome {
  /** The words; empty when there were none. */
  readonly text: string
  /** 0 to 1; undefined when the engine gives none. */
  readonly confidence: number | undefined
}

export interface RecognitionEngine {
  /** Recognises 16-bit samples at 8 kHz. Rejects with RecognitionError. */
  recognise(samples: Int16Array, params: RecognitionParams, signal: AbortSignal): Promise<Outcome>
}

export class RecognitionError extends AdapterError {
  override readonly name = 'RecognitionError'
  readonly code = 'recognition-failed'
}
