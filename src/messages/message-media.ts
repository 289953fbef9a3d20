/** A stored media of a message. */
export interface MessageMedia {
  readonly sid: string
  readonly messageSid: string
  readonly accountSid: string
  /** Name in the file store; a message relayed within this server shares the file. */
  readonly file: string
  readonly contentType: string
  readonly bytes: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** Maximum number of media of one message. */
export const MAX_MEDIA = 10
/** Maximum length of a media URL, characters. */
export const MAX_MEDIA_URL = 4_000
/** Maximum total size of a message's media, bytes. */
export const MAX_MEDIA_BYTES = 5 * 1024 * 1024
