/** A text of what was said in a recording, as it is stored and shown; times are epoch milliseconds. */
export interface Transcription {
  readonly sid: string
  readonly accountSid: string
  readonly recordingSid: string
  readonly status: 'in-progress' | 'completed' | 'failed'
  /** The length of the transcribed sound. */
  readonly durationMs: number | undefined
  readonly text: string | undefined
  /** In 1/10,000 dollar; undefined without a rate. */
  readonly price: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}
