/** The job of an encoder thread: a finished recording and the path of its MP3 file. */
export interface Mp3Job {
  readonly source: string
  readonly target: string
  readonly mix: 'as-recorded' | 'one-channel'
}
