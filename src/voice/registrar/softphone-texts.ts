/** A text that a softphone of an account sends to a number. */
export interface OutgoingText {
  readonly accountSid: string
  /** The user of the softphone's credentials; undefined where its address alone admits it. */
  readonly username: string | undefined
  /** The number of the From header, when it is one. */
  readonly from: string | undefined
  readonly to: string
  readonly text: string
  /** The seconds for which the softphone wants it kept (RFC 3428 §7). */
  readonly validitySeconds: number | undefined
  /** The same for each copy of one MESSAGE. */
  readonly idempotencyKey: string
}

/** The answer to a MESSAGE. */
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

/** Passes the texts of softphones on to who sends them; until somebody does, they are to come later. */
export class SoftphoneTexts {
  #takeText: TakeText | undefined

  onText(takeText: TakeText): void {
    this.#takeText = takeText
  }

  async take(text: OutgoingText): Promise<TextAnswer> {
    return (await this.#takeText?.(text)) ?? NOBODY
  }
}
