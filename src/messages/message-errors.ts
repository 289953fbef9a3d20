import { DomainError } from '../platform/errors.js'

/** The message cannot be sent; `number` is the documented error number. */
export class MessageRefusedError extends DomainError {
  override readonly name = 'MessageRefusedError'
  readonly code = 'message-refused'
  readonly number: number
  constructor(number: number, message: string) {
    super(message)
    this.number = number
  }
}

/** So many messages of the campaign or number are queued that this one would expire first. */
export class MessageQueueFullError extends DomainError {
  override readonly name = 'MessageQueueFullError'
  readonly code = 'message-queue-full'
}

export class MessageNotFoundError extends DomainError {
  override readonly name = 'MessageNotFoundError'
  readonly code = 'message-not-found'
}

/** The message has no media with this sid. */
export class MessageMediaNotFoundError extends DomainError {
  override readonly name = 'MessageMediaNotFoundError'
  readonly code = 'message-media-not-found'
}

/** The message is being sent: neither its text nor its record can be removed. */
export class MessageUnderWayError extends DomainError {
  override readonly name = 'MessageUnderWayError'
  readonly code = 'message-under-way'
}

/** Only a scheduled message can be canceled. */
export class MessageNotScheduledError extends DomainError {
  override readonly name = 'MessageNotScheduledError'
  readonly code = 'message-not-scheduled'
}
