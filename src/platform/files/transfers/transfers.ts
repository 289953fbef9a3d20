/**
 * Sends files to the bucket and removes them from it, as the queue in the database says. A request
 * that fails is made again for as long as its row exists. The row goes once the bucket has the file,
 * and then the file here: killed in between, the next process sends the file again, which changes
 * nothing.
 */
import { setMaxListeners } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { Pump } from '../../async/pump.js'
import { pause } from '../../async/sleep.js'
import type { Clock } from '../../clock.js'
import { LEASE_MS, MARGIN_MS } from '../../database/claims.js'
import type { Database } from '../../database/database.js'
import type { Logger } from '../../log.js'
import { nextAttemptAt } from '../../outbox/retry-schedule.js'
import type { BucketStore } from '../bucket-store.js'
import type { FileKind } from '../kept-files.js'
import {
  ACCESS_DENIED,
  INVALID_CONFIGURATION,
  type StoreOutcome,
  uploadLimitMs,
} from '../object-store.js'
import {
  claimTransfer,
  endTransfer,
  hurryTransfers,
  nextTransfer,
  postponeTransfer,
  type TransferRow,
} from './transfer-storage.js'

export interface Transfers extends AsyncDisposable {
  /** Looks for due work. */
  wake(): void
  /** True from a failure of the bucket until it answers again. */
  readonly isBucketAway: boolean
}

export interface TransferDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
  readonly bucket: BucketStore
  /** The kinds of files by their names; a kind may be added later. */
  readonly kinds: ReadonlyMap<string, TransferKind>
  readonly retry?: RetryTimes
}

export interface RetryTimes {
  readonly firstDelayMs: number
  readonly maxDelayMs: number
}

export interface TransferKind extends FileKind {
  readonly pathOf: (fileName: string) => string
  /** Keeps a copy of a file that is about to leave its folder. */
  readonly keepCopy: (fileName: string) => Promise<void>
}

/** The requests that are under way at the same time. */
const RUNNING = 8
const RETRY: RetryTimes = { firstDelayMs: 2_000, maxDelayMs: 5 * 60_000 }
/** The time between looks for removals whose node is gone. */
const POLL_MS = 30_000
/** The pause after the database could not be read or written. */
const PAUSE_MS = 1_000

const FIRST_REST_MS = 500
const LONGEST_REST_MS = 15_000

export function createTransfers(deps: TransferDeps): Transfers {
  const { db, clock, log, kinds } = deps
  const health = new BucketHealth({ clock, log })
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const running = new Map<string, Promise<void>>()

  const look = async (): Promise<number> => {
    try {
      while (running.size < RUNNING && !closing.signal.aborted && kinds.size > 0) {
        const now = clock.now()
        if (now < health.restsUntil) return health.restsUntil
        const at = { node: db.node, now }
        const row = await nextTransfer(db.read, at, [...kinds.keys()], [...running.keys()])
        if (row === undefined) return now + POLL_MS
        if (!isDue(row, now, deps)) return Math.min(row.nextAttemptAt, now + POLL_MS)
        begin(row)
      }
    } catch (err) {
      log.error({ err }, 'the queue of files could not be read')
      return clock.now() + PAUSE_MS
    }
    return Number.POSITIVE_INFINITY
  }
  const pump = new Pump({ name: 'transfers of files', log, look, now: () => clock.now() })

  const begin = (row: TransferRow): void => {
    const done = work(row, deps, health, closing.signal)
    running.set(
      row.name,
      done.finally(() => {
        running.delete(row.name)
        pump.wake()
      }),
    )
  }

  return {
    wake: () => {
      pump.wake()
    },
    get isBucketAway() {
      return health.isAway
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await pump[Symbol.asyncDispose]()
      await Promise.all(running.values())
    },
  }
}

/** Does the work of one row. Never rejects; resolves when the row holds the result. */
async function work(
  row: TransferRow,
  deps: TransferDeps,
  health: BucketHealth,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log, kinds } = deps
  const kind = kinds.get(row.kind)
  if (kind === undefined) return
  const fileName = row.name.slice(kind.name.length + 1)
  try {
    const outcome = await attempted(row, kind, fileName, deps)
    // The end of the process is no failure of the bucket: the next process repeats this attempt.
    if (outcome === undefined || signal.aborted) return
    const isBack = outcome.type !== 'lost' && health.note(outcome)
    if (outcome.type === 'failed') {
      await settleFailure(row, kind, fileName, outcome, deps)
      return
    }
    const isEnded = await db.write((tx) => endTransfer(tx, row))
    if (isEnded && row.action === 'send' && outcome.type === 'done')
      await leaveFolder(kind, fileName)
    if (isBack) await db.write((tx) => hurryTransfers(tx, { node: db.node, now: clock.now() }))
  } catch (err) {
    log.error({ err, file: row.name }, 'the transfer of a file failed here')
    await pause(PAUSE_MS, signal)
  }
}

/**
 * Remembers whether the bucket answers. While it does not, all transfers rest together, a while
 * longer after each failure: a bucket that comes back is not met by every waiting file at once.
 */
class BucketHealth {
  readonly #clock: Clock
  readonly #log: Logger
  #restMs = 0
  #restsUntil = 0

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock
    this.#log = log
  }

  get isAway(): boolean {
    return this.#restMs > 0
  }

  /** The time before which no request is made. */
  get restsUntil(): number {
    // A clock that was set back does not prolong the rest.
    return Math.min(this.#restsUntil, this.#clock.now() + this.#restMs)
  }

  /** Takes the outcome of a request; true when the bucket answers for the first time again. */
  note(outcome: StoreOutcome): boolean {
    if (outcome.type === 'done') {
      const wasAway = this.isAway
      this.#restMs = 0
      this.#restsUntil = 0
      if (wasAway) this.#log.info('the bucket for files is back')
      return wasAway
    }
    const { code, reason } = outcome
    // A refusal may be about this one file.
    if (code === ACCESS_DENIED || code === INVALID_CONFIGURATION) return false
    if (!this.isAway) this.#log.error({ code, reason }, 'the bucket for files is away')
    if (this.#clock.now() < this.#restsUntil) return false
    this.#restMs = Math.min(Math.max(FIRST_REST_MS, 2 * this.#restMs), LONGEST_REST_MS)
    this.#restsUntil = this.#clock.now() + this.#restMs
    return false
  }
}

/**
 * Makes the row's request; undefined when the row is not this node's any more. `lost`: somebody has
 * deleted the file from the folder.
 */
async function attempted(
  row: TransferRow,
  kind: TransferKind,
  fileName: string,
  { db, clock, log, bucket }: TransferDeps,
): Promise<StoreOutcome | { readonly type: 'lost' } | undefined> {
  const path = kind.pathOf(fileName)
  const bytes = row.action === 'send' ? await sizeOf(path) : 0
  if (bytes === undefined) {
    log.error({ file: row.name }, 'a file was missing before it was sent to the bucket')
    return { type: 'lost' }
  }
  const now = clock.now()
  const until = now + Math.max(LEASE_MS, uploadLimitMs(bytes) + MARGIN_MS)
  const isOurs = await db.write((tx) => claimTransfer(tx, row, { node: db.node, now }, until))
  if (!isOurs) return undefined
  if (row.action === 'send') return await bucket.upload(row.name, path, kind.mimeType)
  await rm(path, { force: true })
  return await bucket.erase(row.name)
}

/** The copy comes first: a reader finds one of the two at any moment. */
async function leaveFolder(kind: TransferKind, fileName: string): Promise<void> {
  await kind.keepCopy(fileName)
  await rm(kind.pathOf(fileName), { force: true })
}

async function settleFailure(
  row: TransferRow,
  kind: TransferKind,
  fileName: string,
  { code, reason }: Extract<StoreOutcome, { readonly type: 'failed' }>,
  { db, clock, random, retry = RETRY, log }: TransferDeps,
): Promise<void> {
  const attempts = row.attempts + 1
  const now = clock.now()
  const schedule = { ...retry, horizonMs: Number.POSITIVE_INFINITY }
  const next = nextAttemptAt(schedule, { createdAt: row.createdAt, attempts }, now, random())
  await db.write((tx) =>
    postponeTransfer(tx, row, { attempts, nextAttemptAt: next ?? now, errorCode: code }),
  )
  log.warn({ file: row.name, action: row.action, code, attempts }, 'a transfer of a file failed')
  // Told once for each kind of failure, not for each attempt.
  if (row.action === 'send' && code !== row.errorCode)
    await kind.onFailure?.(fileName, { code, reason })
}

/** True when the row is due. A time that is too far away was written before the clock was set back. */
function isDue({ nextAttemptAt: at }: TransferRow, now: number, { retry = RETRY }: TransferDeps) {
  return at <= now || at > now + retry.maxDelayMs
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
