import { pause } from '../async/sleep.js'
import type { Clock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import { LEASE_MS } from './lease.js'
import type { Mark } from './outbox-row.js'
import { PENDING, WAITING } from './outbox-states.js'

const MAX_ERROR_CHARS = 500
/** Marks of one write; more wait for the next one. */
const MAX_BATCH = 256
/**
 * Marks gather at least this long, and twice as long as the last write took: a flush of the disk
 * holds up everything else that this thread does, so a slow disk is asked less often.
 */
const MIN_GATHER_MS = 10
const MAX_GATHER_MS = 100

interface Job {
  readonly mark: Mark
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Stores marks that wait for the disk together in one write. */
export class MarkBatch {
  readonly #db: Database
  readonly #clock: Clock
  readonly #node: string
  readonly #waiting: Job[] = []
  #writing: Promise<void> | undefined
  #gatherMs = MIN_GATHER_MS

  constructor(db: Database, clock: Clock, node: string) {
    this.#db = db
    this.#clock = clock
    this.#node = node
  }

  /** Resolves once the mark is durable. */
  add(mark: Mark): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ mark, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await pause(this.#gatherMs)
      const startedAt = this.#clock.monotonic()
      await this.#write(this.#waiting.splice(0, MAX_BATCH))
      const tookMs = this.#clock.monotonic() - startedAt
      this.#gatherMs = Math.min(Math.max(MIN_GATHER_MS, 2 * tookMs), MAX_GATHER_MS)
    }
    this.#writing = undefined
  }

  async #write(batch: readonly Job[]): Promise<void> {
    try {
      await this.#db.write(async (tx) => {
        for (const { mark } of batch) await storeMark(tx, mark, this.#node, this.#clock.now())
      })
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** Stores what became of a row, and lets the next one of its stream go unless the row is tried again. */
export async function storeMark(tx: Writer, mark: Mark, node: string, now: number): Promise<void> {
  const { row, result } = mark
  const facts = {
    attempts: row.attempts + 1,
    last_status: result.status ?? null,
    last_error: result.error?.slice(0, MAX_ERROR_CHARS) ?? null,
    claimed_by: null,
    claimed_until: null,
  }
  if (mark.state === 'pending') {
    // A row that was dropped meanwhile, or that another node has claimed, is not this node's any more.
    await tx
      .updateTable('outbox')
      .set({ ...facts, next_attempt_at: mark.nextAttemptAt })
      .where('id', '=', row.id)
      .where('state', '=', 'pending')
      .where('claimed_by', '=', node)
      .execute()
    return
  }
  await tx
    .updateTable('outbox')
    .set({ ...facts, state: mark.state })
    .where('id', '=', row.id)
    .execute()
  await freeNext(tx, row.stream, { claimed_by: node, claimed_until: now + LEASE_MS })
}

/** Makes the first waiting row of a stream pending, when no other one is. */
export async function freeNext(
  tx: Writer,
  stream: string,
  claim: { readonly claimed_by: string | null; readonly claimed_until: number | null },
): Promise<void> {
  const head = tx
    .selectFrom('outbox')
    .select('id')
    .where('stream', '=', stream)
    .where('state', '=', PENDING)
  await tx
    .updateTable('outbox')
    .set({ state: 'pending', ...claim })
    .where('id', '=', (next) =>
      next
        .selectFrom('outbox')
        .select('id')
        .where('stream', '=', stream)
        .where('state', '=', WAITING)
        .orderBy('id')
        .limit(1),
    )
    .where((each) => each.not(each.exists(head)))
    .execute()
}
