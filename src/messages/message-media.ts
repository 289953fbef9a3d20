/** One media of a message, once it is stored. */
export interface MessageMedia {
  readonly sid: string
  readonly messageSid: string
  readonly accountSid: string
  /** The name in the file store; a message that was passed on within this server shares it. */
  readonly file: string
  readonly contentType: string
  readonly bytes: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The most media of one message. */
export const MAX_MEDIA = 10
/** The longest URL of a media. */
export const MAX_MEDIA_URL = 4_000
/** The most bytes that the media of one message have together. */
export const MAX_MEDIA_BYTES = 5 * 1024 * 1024
