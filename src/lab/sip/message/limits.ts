/** The limits of one message; a part of the stack's limits. */
export interface MessageLimits {
  readonly messageBytes: number
  /** The bytes of the start line and all headers. */
  readonly headerBytes: number
  /** The characters of one header's value; names of people and calls are never near it. */
  readonly headerChars: number
  readonly headers: number
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  messageBytes: 65_535,
  headerBytes: 32_768,
  headerChars: 8_192,
  headers: 256,
}

/**
 * The reason why a readable message cannot be processed, as the status that a request would be
 * answered with.
 */
export interface Flaw {
  readonly status: number
  readonly reason: string
}
