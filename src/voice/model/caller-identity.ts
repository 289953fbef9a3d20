/** What STIR/SHAKEN says of the caller of an inbound call. */
export interface CallerIdentity {
  /** `StirVerstat` of the call's webhooks. */
  readonly verstat: string
  /** `StirPassportToken`: the PASSporT as received; undefined when none came. */
  readonly token: string | undefined
  /** The Identity header as received, which goes on with a call that shows the same caller. */
  readonly received: string | undefined
}
