import type { Kysely } from 'kysely'
import { SerialQueue } from '../../async/serial-queue.js'
import { pause } from '../../async/sleep.js'
import { systemClock } from '../../clock.js'
import type { Isolation, Writer } from '../database.js'
import { StorageBusyError, StorageUnavailableError } from '../storage-error.js'
import type { Tables } from '../tables.js'
import { fateOf } from './commit-fate.js'
import {
  ConnectionLostError,
  isCrossed,
  isDeadlock,
  isTaken,
  LostCommitError,
} from './postgres-errors.js'

/** Time limit of all retries of conflicting work, ms. */
const LIMIT_MS = 10_000
const MAX_TRIES = 30
/** Number of concurrent attempts; later attempts of conflicting work run one at a time. */
const FREE_TRIES = 2
/** Maximum attempts after a unique-key violation: the second attempt sees the other row. */
const MAX_TAKEN = 3
/** Maximum attempts after a lost connection: a restart may have cut several of a pool. */
const MAX_LOST = 3
const FIRST_PAUSE_MS = 2
const MAX_PAUSE_MS = 200

type Work<Result> = (tx: Writer) => Promise<Result>

/** State shared by the transactions of one database. */
interface Shared {
  readonly reruns: Reruns
  /** Serializes work that has conflicted before. */
  readonly turns: SerialQueue
}

/** Counts of what has gone wrong with one piece of work. */
interface Trouble {
  readonly startedAt: number
  tries: number
  taken: number
  lost: number
}

/** Why a transaction was retried. */
type RerunCause = 'serialization' | 'deadlock' | 'key_taken' | 'connection_lost' | 'commit_lost'

/**
 * Runs `work` in a transaction and resolves once it is committed. Work that conflicts is retried with growing
 * random pauses, and soon one at a time within this process. A commit whose answer was lost is looked up, so
 * that nothing is stored twice.
 */
export async function runTransaction<Result>(
  writer: Kysely<Tables>,
  work: Work<Result>,
  isolation: Isolation = 'serializable',
  { reruns = new Reruns(), turns = new SerialQueue() }: Partial<Shared> = {},
): Promise<Result> {
  const trouble: Trouble = { startedAt: systemClock.monotonic(), tries: 0, taken: 0, lost: 0 }
  for (;;) {
    let done: { readonly result: Result } | undefined
    const once = (): Promise<void> =>
      writer
        .transaction()
        .setIsolationLevel(isolation === 'serializable' ? 'serializable' : 'read committed')
        .execute(async (tx) => {
          done = { result: await work(tx) }
        })
    try {
      await (trouble.tries < FREE_TRIES ? once() : turns.run(() => inTime(once, trouble)))
    } catch (error) {
      const isCommitted = await outcomeOf(writer, error, trouble)
      if (!isCommitted) {
        reruns.count(error)
        continue
      }
    }
    if (done !== undefined) return done.result
  }
}

/** Counts retried transactions, by cause. */
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

/** Rejects work whose turn comes too late, so that the queue behind it proceeds. */
async function inTime(once: () => Promise<void>, trouble: Trouble): Promise<void> {
  if (isLate(trouble)) throw new StorageBusyError('too many writes cross')
  await once()
}

/** Resolves with true when the work is stored, with false when it may be retried; else rejects. */
async function outcomeOf(
  writer: Kysely<Tables>,
  error: unknown,
  trouble: Trouble,
): Promise<boolean> {
  if (error instanceof LostCommitError && (await fateOf(writer, error)) === 'committed') return true
  if (!mayRunAgain(error, trouble)) throw refusalOf(error)
  await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** trouble.tries, MAX_PAUSE_MS))
  return false
}

/** Returns the error of work that is not retried again; a later attempt may meet fewer conflicts. */
function refusalOf(error: unknown): unknown {
  if (isCrossed(error)) return new StorageBusyError('too many writes cross', { cause: error })
  if (error instanceof LostCommitError)
    return new StorageUnavailableError('the write was not stored', { cause: error })
  return error
}

function mayRunAgain(error: unknown, trouble: Trouble): boolean {
  trouble.tries += 1
  if (trouble.tries >= MAX_TRIES || isLate(trouble)) return false
  if (isCrossed(error)) return true
  if (isTaken(error)) return (trouble.taken += 1) < MAX_TAKEN
  // Nothing was committed before the commit; a commit that was lost is known to have failed.
  if (error instanceof LostCommitError || error instanceof ConnectionLostError)
    return (trouble.lost += 1) < MAX_LOST
  return false
}

function isLate({ startedAt }: Trouble): boolean {
  return systemClock.monotonic() - startedAt > LIMIT_MS
}
