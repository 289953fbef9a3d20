/** What a thread is given: a finished recording, and where its MP3 is to be. */
export interface Mp3Job {
  readonly source: string
  readonly target: string
  readonly mix: 'as-recorded' | 'one-channel'
}
