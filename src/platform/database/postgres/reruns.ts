import { ConnectionLostError, isDeadlock, isTaken, LostCommitError } from './postgres-errors.js'

/** Why a transaction ran again. */
export type RerunCause =
  | 'serialization'
  | 'deadlock'
  | 'key_taken'
  | 'connection_lost'
  | 'commit_lost'

/** Counts the transactions that ran again, by cause. */
export class Reruns {
  readonly #counts: Record<RerunCause, number> = {
    serialization: 0,
    deadlock: 0,
    key_taken: 0,
    connection_lost: 0,
    commit_lost: 0,
  }

  count(error: unknown): void {
    this.#counts[causeOf(error)] += 1
  }

  get byCause(): Readonly<Record<RerunCause, number>> {
    return this.#counts
  }
}

function causeOf(error: unknown): RerunCause {
  if (error instanceof LostCommitError) return 'commit_lost'
  if (error instanceof ConnectionLostError) return 'connection_lost'
  if (isTaken(error)) return 'key_taken'
  return isDeadlock(error) ? 'deadlock' : 'serialization'
}
