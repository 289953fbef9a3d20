export interface LoadCommand {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Head and body, as they go over the wire. */
  readonly request: string
  readonly expectedStatus: number
}

export interface LoadReport {
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  /** Answers with another status. */
  readonly unexpected: number
  /** Processor time of the load's own process. */
  readonly cores: number
}

export interface BareCommand {
  /** The answer to every request. */
  readonly status: number
  readonly body: string
}

export interface BareReport {
  readonly port: number
}
