/** Something that answers the calls of the scenario. */
export interface System extends AsyncDisposable {
  readonly name: string
  /** The `host:port` of its SIP. */
  readonly target: string
  /** The user part of the request URI. */
  readonly service: string
  /** The value of `X-esl-outbound` of the scenario's INVITE: the socket that FreeSWITCH asks what to do. */
  readonly socket?: string
  /** Its processes by name, for their processor time. */
  readonly pids: Readonly<Record<string, number>>
  /** The number of calls so far that it refused for being late. */
  refusedLate(): Promise<number>
  /** Resolves when no call is left, or after a limit. */
  untilIdle(): Promise<unknown>
}
