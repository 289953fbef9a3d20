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

/** A wish for a recording: of what, how long, and where its status is reported. */
export interface RecordingWish {
  readonly source: RecordingSource
  readonly channels: 'mono' | 'dual'
  readonly track: 'inbound' | 'outbound' | 'both'
  readonly trim: 'trim-silence' | 'do-not-trim'
  /** The longest length; undefined for as long as the call. */
  readonly maxMs?: number | undefined
  /** The length of the far end's silence that ends the recording; undefined when silence does not. */
  readonly silenceMs?: number | undefined
  /** Its URL is absolute. */
  readonly callback?: RecordingCallback | undefined
}
