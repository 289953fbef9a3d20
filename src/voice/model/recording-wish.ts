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

/** A recording that was asked for: its tracks, its limits, and the callback for its status. */
export interface RecordingWish {
  readonly source: RecordingSource
  readonly channels: 'mono' | 'dual'
  readonly track: 'inbound' | 'outbound' | 'both'
  readonly trim: 'trim-silence' | 'do-not-trim'
  /** The longest length; undefined when the recording may last as long as the call. */
  readonly maxMs?: number | undefined
  /**
   * The length of the far end's silence that ends the recording; undefined when silence does not.
   */
  readonly silenceMs?: number | undefined
  /** The status callback. Its URL is absolute. */
  readonly callback?: RecordingCallback | undefined
}
