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
  /** Of the load's own process. */
  readonly cores: number
}

export interface BareCommand {
  /** What it answers to everything. */
  readonly status: number
  readonly body: string
}

export interface BareReport {
  readonly port: number
}
