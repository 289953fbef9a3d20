/** What somebody wants recorded, and who is told of it. */
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

/** What somebody wants recorded. */
export interface RecordingWanted {
  readonly source: RecordingSource
  readonly channels: 'mono' | 'dual'
  readonly track: 'inbound' | 'outbound' | 'both'
  readonly trim: 'trim-silence' | 'do-not-trim'
  /** Undefined: as long as the call. */
  readonly maxMs?: number | undefined
  readonly callback?: RecordingCallback | undefined
}
