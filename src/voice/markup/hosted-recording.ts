/** A recording that a document makes of its call. */
export interface HostedRecording {
  /** Resolves when the file is complete. The recording ends by itself, by `stop`, and with the call. */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** `params` is what an action learns of the recording, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }
