/** Limits of one message; a part of the stack's limits. */
export interface MessageLimits {
  readonly messageBytes: number
  /** Start line and all headers. */
  readonly headerBytes: number
  /** One header's value; names of people and calls are never near it. */
  readonly headerChars: number
  readonly headers: number
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  messageBytes: 65_535,
  headerBytes: 32_768,
  headerChars: 8_192,
  headers: 256,
}

/** Why a readable message cannot be processed, as the status that a request would be answered with. */
export interface Flaw {
  readonly status: number
  readonly reason: string
}
