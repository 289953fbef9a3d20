/** A text that an account's softphone sends to a number. */
export interface OutgoingText {
  readonly accountSid: string
  /** User name of the credentials; undefined when the softphone is admitted by IP address. */
  readonly username: string | undefined
  /** The number in the From header, if it is one. */
  readonly from: string | undefined
  readonly to: string
  readonly text: string
  /** Validity of the text, s (RFC 3428 §7). */
  readonly validitySeconds: number | undefined
  /** The same key for every copy of one MESSAGE. */
  readonly idempotencyKey: string
}

/** The response to a MESSAGE. */
export interface TextAnswer {
  readonly status: number
  readonly reason: string
  readonly headers?: Readonly<Record<string, string>>
}

type TakeText = (text: OutgoingText) => Promise<TextAnswer>

const NOBODY: TextAnswer = {
  status: 503,
  reason: 'Service Unavailable',
  headers: { 'Retry-After': '5' },
}

/**
 * Forwards texts of softphones to the subscribed sender; without one, the softphone is told to
 * retry later.
 */
export class SoftphoneTexts {
  #takeText: TakeText | undefined

  onText(takeText: TakeText): void {
    this.#takeText = takeText
  }

  async take(text: OutgoingText): Promise<TextAnswer> {
    return (await this.#takeText?.(text)) ?? NOBODY
  }
}
