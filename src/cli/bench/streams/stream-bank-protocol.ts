/** Told to the process that is both ends of many streams; each is answered by one report. */
export type StreamBankCommand =
  | { readonly type: 'listen' }
  | {
      readonly type: 'connect'
      readonly sipPort: number
      readonly number: string
      readonly calls: number
      readonly callsPerSecond: number
    }
  /** Counts frames for so long. */
  | { readonly type: 'hold'; readonly seconds: number }
  /** Speaks and is cleared so many times, a few streams at once. */
  | { readonly type: 'clear'; readonly times: number }
  | { readonly type: 'hang-up' }

export interface StreamBankReport {
  /** Port of its websocket server. */
  readonly port: number
  readonly connected: number
  readonly problem: string | undefined
  /** RTP sent → websocket message received, milliseconds. */
  readonly frameMs: readonly number[]
  /** Frames sent while it was counted, and those that came twice or not at all. */
  readonly sent: number
  readonly lost: number
  /** Media sent → first packet that is not silence; clear sent → end of the last packet that is not. */
  readonly speakMs: readonly number[]
  readonly clearMs: readonly number[]
}
