/** Hearing calls for answering machines: what a call needs of it, wherever the work is done. */
import type { DetectorEvent, DetectorParams } from '../amd/amd.js'

/** One call's detection under way. */
export interface Detection {
  /** Takes 16-bit linear samples at 8 kHz, any number of them. Its events come later. */
  push(samples: Int16Array): void
  /** Ends the audio. Returns the last event from what was heard; nothing when there was one already. */
  end(): readonly DetectorEvent[]
}

export interface Detections {
  /** `onEvents` gets the events in order. */
  open(params: DetectorParams, onEvents: (events: readonly DetectorEvent[]) => void): Detection
}
