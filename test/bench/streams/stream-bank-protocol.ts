/**
 * A command to the process that is both ends of many streams. Each one is answered by one report.
 */
export type StreamBankCommand =
  | { readonly type: 'listen' }
  | {
      readonly type: 'connect'
      readonly sipPort: number
      readonly number: string
      readonly calls: number
      readonly callsPerSecond: number
    }
  /** Counts frames for this many seconds. */
  | { readonly type: 'hold'; readonly seconds: number }
  /** Speaks and is cleared this many times, a few streams at once. */
  | { readonly type: 'clear'; readonly times: number }
  | { readonly type: 'hang-up' }

export interface StreamBankReport {
  /** The port of its websocket server. */
  readonly port: number
  readonly connected: number
  readonly problem: string | undefined
  /** The times from RTP sent to websocket message received, milliseconds. */
  readonly frameMs: readonly number[]
  /** Frames sent while they were counted; `lost` are those that came twice or not at all. */
  readonly sent: number
  readonly lost: number
  /** Milliseconds from media sent to the first packet with sound. */
  readonly speakMs: readonly number[]
  /** Milliseconds from clear sent to the end of the last packet with sound. */
  readonly clearMs: readonly number[]
}
