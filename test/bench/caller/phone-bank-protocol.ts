import type { Heard } from './rtp-ear.js'

/** A command to the process that holds many calls. Each one is answered by one report. */
export type BankCommand =
  | {
      readonly type: 'connect'
      readonly sipPort: number
      readonly number: string
      readonly calls: number
      readonly callsPerSecond: number
    }
  /** Starts the count again at zero. */
  | { readonly type: 'count' }
  /** Asks for the counts since the last report. */
  | { readonly type: 'read' }
  /** Stops all sending. */
  | { readonly type: 'hush' }
  | { readonly type: 'hang-up' }

export interface BankReport {
  readonly connected: number
  readonly failed: number
  /** The number of RTP packets sent since the process began. */
  readonly sent: number
  readonly heard: Heard
  readonly problem: string | undefined
}
