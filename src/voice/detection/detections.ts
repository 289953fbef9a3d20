/** Machine detection as a call uses it, in this thread or another. */
import type { DetectorEvent, DetectorParams } from '../amd/amd.js'

/** The detection in progress of one call. */
export interface Detection {
  /** Adds any number of 16-bit linear samples at 8 kHz. Events follow later. */
  push(samples: Int16Array): void
  /** Ends the audio. Returns the final event, or none if there was a final event before. */
  end(): readonly DetectorEvent[]
}

export interface Detections {
  /** Starts a detection; `onEvents` receives the events in order. */
  open(params: DetectorParams, onEvents: (events: readonly DetectorEvent[]) => void): Detection
}
