export interface LoadCommand {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The head and body as they go over the wire. */
  readonly request: string
  /**
   * What stands in the place of each `{}` of the request: the first for the first request, and so on,
   * and then the first again.
   */
  readonly values?: readonly string[] | undefined
  readonly expectedStatus: number
}

export interface LoadReport {
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  /** The number of answers with another status. */
  readonly unexpected: number
  /** The processor time of the load's own process, in cores. */
  readonly cores: number
}

export interface BareCommand {
  /** The expected status of every answer. */
  readonly status: number
  readonly body: string
}

export interface BareReport {
  readonly port: number
}
