import type { WebhookMethod } from '../../platform/http/http-method.js'

export type RecordingSource =
  | 'OutboundAPI'
  | 'StartCallRecordingAPI'
  | 'StartCallRecordingTwiML'
  | 'RecordVerb'
  | 'DialVerb'
  | 'Conference'

export type RecordingEvent = 'in-progress' | 'completed' | 'absent'

export interface RecordingCallback {
  readonly url: string
  readonly method: WebhookMethod
  readonly events: readonly RecordingEvent[]
}

/** A requested recording: its tracks, its limits, and its status callback. */
export interface RecordingWish {
  readonly source: RecordingSource
  readonly channels: 'mono' | 'dual'
  readonly track: 'inbound' | 'outbound' | 'both'
  readonly trim: 'trim-silence' | 'do-not-trim'
  /** Maximum length, ms; undefined: as long as the call. */
  readonly maxMs?: number | undefined
  /** Silence of the far end that ends the recording, ms; undefined: silence does not end it. */
  readonly silenceMs?: number | undefined
  /** The status callback. Its URL is absolute. */
  readonly callback?: RecordingCallback | undefined
}
