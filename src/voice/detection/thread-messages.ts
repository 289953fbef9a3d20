import type { DetectorEvent, DetectorParams } from '../amd/amd.js'

/** To the detection thread. */
export type DetectionCommand =
  | {
      readonly type: 'open'
      readonly id: number
      readonly params: DetectorParams
      /** The memory of the call's SampleRing. */
      readonly memory: SharedArrayBuffer
    }
  | { readonly type: 'close'; readonly id: number }

/** From the detection thread: the events of a call's detector, in order. */
export interface DetectionReport {
  readonly id: number
  readonly events: readonly DetectorEvent[]
}
