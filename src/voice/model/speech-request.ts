import { DomainError } from '../../platform/errors.js'

export interface SpeechRequest {
  readonly text: string
  readonly voice: string | undefined
  readonly language: string | undefined
  /** The markup; undefined when the text is spoken plainly. */
  readonly markup?: SpeechMarkup | undefined
}

/** How a text is spoken: as SSML, and as the subset that every engine supports. */
export interface SpeechMarkup {
  /** The text as a complete `<speak>` document. */
  readonly ssml: string
  /** The speaking rate: 1 is normal, 2 is twice as fast. */
  readonly rate: number
  readonly gainDb: number
  /** Descriptions of effects that only an engine that reads SSML supports. */
  readonly unheard: readonly string[]
}

/** Text that cannot be spoken. 13520: nothing pronounceable in it. 13521: too long. */
export class SpeechTextError extends DomainError {
  override readonly name = 'SpeechTextError'
  readonly code = 'speech-text'
  readonly number: 13520 | 13521
  constructor(number: 13520 | 13521, message: string) {
    super(message)
    this.number = number
  }
}
