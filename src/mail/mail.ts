import { AdapterError } from '../platform/errors.js'

/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A mail on its way. */
export interface SentMail extends Mail {
  /** The name of the mail, the same when it is sent again; the Message-ID is made from it. */
  readonly id: string
  /** Time of the request for the mail, epoch ms. */
  readonly at: number
}

/** Sends mails. Rejects with MailError. */
export interface Mailer {
  send(mail: SentMail, signal: AbortSignal): Promise<void>
}

/** A mail was not taken. Without `isRetryable` the server will never take it. */
export class MailError extends AdapterError {
  override readonly name = 'MailError'
  /** The status of SMTP (RFC 5321 §4.2), when there was one. */
  readonly status: number | undefined

  constructor(
    message: string,
    options: { cause?: unknown; isRetryable: boolean; status?: number | undefined },
  ) {
    super(message, options)
    this.status = options.status
  }
}
