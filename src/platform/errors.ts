/**
 * An expected failure, caused by the caller, the carrier or the customer's web server, that must be reported.
 * Never thrown for our own bugs (see InvariantError).
 */
export abstract class DomainError extends Error {
  /** Stable kebab-case code; each API maps it to a status and a number in one table. */
  abstract readonly code: string
}

/** Something outside this process failed; `isRetryable` is true when a retry can help. */
export class AdapterError extends Error {
  override readonly name: string = 'AdapterError'
  readonly isRetryable: boolean
  constructor(message: string, options: { cause?: unknown; isRetryable?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.isRetryable = options.isRetryable ?? false
  }
}

/** A broken assumption of our own: only the current call fails, and the error is logged. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assertNever(value: never): never {
  throw new InvariantError(`unexpected variant: ${JSON.stringify(value)}`)
}
