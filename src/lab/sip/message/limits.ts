/** The limits of one message; a part of the stack's limits. */
export interface MessageLimits {
  readonly messageBytes: number
  /** Maximum size of the start line and all headers, in bytes. */
  readonly headerBytes: number
  /** Maximum length of one header's value, in characters. */
  readonly headerChars: number
  readonly headers: number
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  messageBytes: 65_535,
  headerBytes: 32_768,
  headerChars: 8_192,
  headers: 256,
}

/** Why a parsed message cannot be processed, as the status with which a request is answered. */
export interface Flaw {
  readonly status: number
  readonly reason: string
}
