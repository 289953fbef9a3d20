/** What the benchmark asks of its process of softphones. */
export type PhonesCommand =
  /** Makes the phones, and registers all of them at once. */
  | {
      readonly type: 'storm'
      readonly sipPort: number
      readonly phones: number
      readonly domain: string
      readonly password: string
      readonly limitMs: number
    }
  /** Refreshes the phones at an even rate, each every `everyMs`. */
  | { readonly type: 'refresh'; readonly everyMs: number; readonly seconds: number }

export interface PhonesReport {
  /** The REGISTERs that got a 200, and those that got another final response or none. */
  readonly registered: number
  readonly failed: number
  readonly seconds: number
  /** The times from a REGISTER to its 200, over both requests where one was challenged. */
  readonly p50: number
  readonly p95: number
  readonly cores: number
}
