import type { Heard } from './rtp-ear.js'

/** Told to the process that holds many calls; each is answered by one report. */
export type BankCommand =
  | {
      readonly type: 'connect'
      readonly sipPort: number
      readonly number: string
      readonly calls: number
      readonly callsPerSecond: number
    }
  /** Counts anew from here. */
  | { readonly type: 'count' }
  /** Counts since the last report. */
  | { readonly type: 'read' }
  /** Sends nothing any more. */
  | { readonly type: 'hush' }
  | { readonly type: 'hang-up' }

export interface BankReport {
  readonly connected: number
  readonly failed: number
  /** RTP packets sent since the process began. */
  readonly sent: number
  readonly heard: Heard
  readonly problem: string | undefined
}
