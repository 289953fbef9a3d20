/** The environment of every command, and the failures that may end one. */

/** The process around a command, so that tests can bring their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a line to standard output. */
  readonly print: (line: string) => void
  /** Writes a line to standard error. */
  readonly complain: (line: string) => void
  readonly isColoured: boolean
  /**
   * Listens for Ctrl-C: the signal aborts at the first one. A command that does not ask is ended by
   * it.
   */
  readonly interrupted: () => AbortSignal
}

/** The command was used wrongly, or a setting that it needs is missing: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command did not succeed: exit code 1. An empty message prints nothing. */
export class FailedError extends Error {
  override readonly name: string = 'FailedError'
}
