import { DomainError } from '../../platform/errors.js'

export interface SpeechRequest {
  readonly text: string
  readonly voice: string | undefined
  readonly language: string | undefined
  /** Undefined: the text is spoken plainly. */
  readonly markup?: SpeechMarkup | undefined
}

/** How a text is to be spoken, once as SSML and once as what any engine can do. */
export interface SpeechMarkup {
  /** A whole `<speak>` document. */
  readonly ssml: string
  /** 1: as usual; 2: twice as fast. */
  readonly rate: number
  readonly gainDb: number
  /** What only an engine that reads the SSML can do, in words for a person. */
  readonly unheard: readonly string[]
}

/** Text that cannot be spoken: 13520 nothing pronounceable in it, 13521 too long. */
export class SpeechTextError extends DomainError {
  override readonly name = 'SpeechTextError'
  readonly code = 'speech-text'
  readonly number: 13520 | 13521
  constructor(number: 13520 | 13521, message: string) {
    super(message)
    this.number = number
  }
}
