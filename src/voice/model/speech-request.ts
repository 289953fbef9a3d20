import { DomainError } from '../../platform/errors.js'

export interface SpeechRequest {
  readonly text: string
  readonly voice: string | undefined
  readonly language: string | undefined
  /** The markup; undefined when the text is spoken plainly. */
  readonly markup?: SpeechMarkup | undefined
}

/**
 * The manner in which a text is spoken: once as SSML, and once as the part that every engine can
 * do.
 */
export interface SpeechMarkup {
  /** The text as a whole `<speak>` document. */
  readonly ssml: string
  /** The speaking rate: 1 is usual, 2 is twice as fast. */
  readonly rate: number
  readonly gainDb: number
  /** The effects that only an engine that reads SSML can make, in words for a person. */
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
