import { DomainError } from '../../platform/errors.js'

export class RecordingNotFoundError extends DomainError {
  override readonly name = 'RecordingNotFoundError'
  readonly code = 'recording-not-found'
}

/** The call is not in progress, or the recording has ended. */
export class NotEligibleForRecordingError extends DomainError {
  override readonly name = 'NotEligibleForRecordingError'
  readonly code = 'not-eligible-for-recording'
  constructor() {
    super('Requested resource is not eligible for recording')
  }
}

/** `Twilio.CURRENT` is ambiguous: the call has several recordings in progress. */
export class SeveralRecordingsError extends DomainError {
  override readonly name = 'SeveralRecordingsError'
  readonly code = 'several-recordings'
  constructor() {
    super('The call has more than one active recording')
  }
}

/** The recording exists but is not available in that format at the moment. */
export class MediaUnavailableError extends DomainError {
  override readonly name = 'MediaUnavailableError'
  readonly code = 'recording-media-unavailable'
}

/** The request asks for two channels of a mono recording. */
export class NotDualChannelError extends DomainError {
  override readonly name = 'NotDualChannelError'
  readonly code = 'not-dual-channel'
  constructor() {
    super('Cannot download a dual-channel presentation of a mono recording')
  }
}
