import { DomainError } from '../../platform/errors.js'

/** The bytes are not the audio they are said to be; the message may be shown to who sent them. */
export class UnreadableAudioError extends DomainError {
  override readonly name = 'UnreadableAudioError'
  readonly code = 'audio-unreadable'
}
