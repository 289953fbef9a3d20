/** The recordings that a document makes of its call. */
import type { RecordingWanted } from '../model/recording-wish.js'

/** Callback URLs are absolute. */
export interface RecordingRequest extends RecordingWanted {
  /** Silence of the caller that ends it; undefined: none does. */
  readonly silenceMs?: number | undefined
}

export interface HostedRecording {
  /** When its file is complete. It ends by itself, by `stop`, and with the call. */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** `params`: what an action learns of the recording, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }
