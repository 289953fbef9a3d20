/** The environment of commands, and the errors that end one. */

/** The process environment of a command; tests pass their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a line to standard output. */
  readonly print: (line: string) => void
  /** Writes a line to standard error. */
  readonly complain: (line: string) => void
  readonly isColoured: boolean
  /** Returns a signal that aborts at the first Ctrl-C. Without this call, Ctrl-C ends the process. */
  readonly interrupted: () => AbortSignal
}

/** Wrong usage or a missing setting: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed: exit code 1. An empty message prints nothing. */
export class FailedError extends Error {
  override readonly name: string = 'FailedError'
}
