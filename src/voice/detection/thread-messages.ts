import type { DetectorEvent, DetectorParams } from '../amd/amd.js'

/** A message to the detection thread. */
export type DetectionCommand =
  | {
      readonly type: 'open'
      readonly id: number
      readonly params: DetectorParams
      /** Memory of the call's SampleRing. */
      readonly memory: SharedArrayBuffer
    }
  | { readonly type: 'close'; readonly id: number }

/** A message from the detection thread: the events of one call's detector, in order. */
export interface DetectionReport {
  readonly id: number
  readonly events: readonly DetectorEvent[]
}
