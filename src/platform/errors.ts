/**
 * An expected failure: the caller, the carrier or the customer's web server did something that we
 * must report. It is never thrown for our own bugs (see InvariantError).
 */
export abstract class DomainError extends Error {
  /**
   * The failure's name, stable and in kebab-case; each API maps it to a status and a number in one
   * table.
   */
  abstract readonly code: string
}

/** Something outside this process failed; `isRetryable` says whether trying again can help. */
export class AdapterError extends Error {
  override readonly name: string = 'AdapterError'
  readonly isRetryable: boolean
  constructor(message: string, options: { cause?: unknown; isRetryable?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.isRetryable = options.isRetryable ?? false
  }
}

/** An assumption of ours is broken: only the one call fails, and the log says so. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assertNever(value: never): never {
  throw new InvariantError(`unexpected variant: ${JSON.stringify(value)}`)
}
