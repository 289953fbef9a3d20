/** A recording that a document makes of its call. */
export interface HostedRecording {
  /**
   * Resolves when the file is complete. The recording ends by itself, by `stop`, or with the call.
   */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** The end of a recording. `params` are the action's parameters about it, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }
