import { DomainError } from '../../platform/errors.js'

/** The bytes are not the audio that they are said to be. The message may be shown to the sender. */
export class UnreadableAudioError extends DomainError {
  override readonly name = 'UnreadableAudioError'
  readonly code = 'audio-unreadable'
}
