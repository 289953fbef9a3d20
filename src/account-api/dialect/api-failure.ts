/** A request that failed, in the words that both styles share; each style wraps them. */
export interface Failure {
  readonly status: number
  /** What is wrong, for a person; it names the field that it is about. */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the body, such as the part of a request that succeeded. */
  readonly beside?: Readonly<Record<string, unknown>>
}

/** An operation refuses a request. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly failure: Failure

  constructor(status: number, message: string, beside?: Readonly<Record<string, unknown>>) {
    super(message)
    this.failure = beside === undefined ? { status, message } : { status, message, beside }
  }
}
