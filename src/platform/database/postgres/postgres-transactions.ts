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

/** The time in which work that crosses others runs again and again. */
const LIMIT_MS = 10_000
const MAX_TRIES = 30
/** So many tries, work runs beside others; after them, one at a time of those that cross. */
const FREE_TRIES = 2
/** The number of runs after a key was taken: the second run sees who took it. */
const MAX_TAKEN = 3
/** The number of runs after a lost connection: a pool may hold several that a restart has cut. */
const MAX_LOST = 3
const FIRST_PAUSE_MS = 2
const MAX_PAUSE_MS = 200

type Work<Result> = (tx: Writer) => Promise<Result>

/** What the transactions of one database have in common. */
interface Shared {
  readonly reruns: Reruns
  /** The turns of work that has crossed others. */
  readonly turns: SerialQueue
}

/** What has gone wrong with one piece of work so far. */
interface Trouble {
  readonly startedAt: number
  tries: number
  taken: number
  lost: number
}

/** Why a transaction ran again. */
type RerunCause = 'serialization' | 'deadlock' | 'key_taken' | 'connection_lost' | 'commit_lost'

/**
 * Runs `work` in a transaction and resolves once it is committed. Work that crossed
 * another transaction runs again, with growing pauses of random length, and soon in `turns`: of many
 * writes that cross each other, those of one process then cross no more. A commit whose answer was
 * lost is looked up, so that nothing is stored twice.
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

/** Work whose turn comes too late does not run: what waits behind it comes to its own turn. */
async function inTime(once: () => Promise<void>, trouble: Trouble): Promise<void> {
  if (isLate(trouble)) throw new StorageBusyError('too many writes cross')
  await once()
}

/** Resolves with true when the work is stored, with false when it may run again; else rejects. */
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

/** The error of work that has run often enough: a later attempt may find fewer others. */
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
