import { pause } from '../async/sleep.js'
import type { Clock } from '../clock.js'
import { claimOf, UNCLAIMED } from '../database/claims.js'
import { compiledOnce } from '../database/compiled-once.js'
import type { Database, Reader, Writer } from '../database/database.js'
import { literal } from '../database/literal.js'
import { lockRows } from '../database/lock-rows.js'
import type { Selectable } from '../database/tables.js'
import type { Mark } from './outbox-row.js'
import type { OutboxTable } from './tables.js'

const MAX_ERROR_CHARS = 500
/** Maximum results stored in one write; more wait for the next one. */
const MAX_BATCH = 256
/**
 * Minimum time for which results gather, ms. They wait twice as long as the last write took: a disk flush
 * delays this whole thread, so a slow disk is used less often.
 */
const MIN_GATHER_MS = 10
const MAX_GATHER_MS = 100

interface Job {
  readonly mark: Mark
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The pending state, which has an index of its own, as the planner must see it to use that index.
 */
export const PENDING = literal('pending')
export const WAITING = literal('waiting')
export const DEAD = literal('dead')

/** Stores waiting results together in one write. */
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

  /** Resolves once the result is durable. */
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
    const inOrder = batch.toSorted((one, other) => byStream(one.mark.row, other.mark.row))
    try {
      await this.#db.write(async (tx) => {
        for (const { mark } of inOrder) await storeMark(tx, mark, this.#node, this.#clock.now())
      }, 'read-committed')
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/**
 * Compares rows by stream. Every transaction that touches several streams uses this order, so that no two
 * deadlock. Rows of one stream keep their order.
 */
export function byStream(one: { readonly stream: string }, other: { readonly stream: string }) {
  if (one.stream === other.stream) return 0
  return one.stream < other.stream ? -1 : 1
}

/** Stores the result of a row. The stream's next row may be sent unless this row is retried in its place. */
export async function storeMark(tx: Writer, mark: Mark, node: string, now: number): Promise<void> {
  const { row, result } = mark
  const facts = {
    id: row.id,
    attempts: row.attempts + 1,
    lastStatus: result.status ?? null,
    lastError: result.error?.slice(0, MAX_ERROR_CHARS) ?? null,
  }
  const { changed } = await storeOutcome(tx, mark, facts, node)
  if (changed === 0 || mark.state === 'pending') return
  await freeWaiting(tx, { stream: row.stream, ...claimOf(node, now) })
}

function storeOutcome(tx: Writer, mark: Mark, facts: Facts, node: string) {
  if (!('nextAttemptAt' in mark)) return end(tx, { ...facts, state: mark.state })
  const stream = mark.state === 'aside' ? ownStream(mark.row) : mark.row.stream
  return putOff(tx, { ...facts, stream, nextAttemptAt: mark.nextAttemptAt, claimedBy: node })
}

/** Returns the stream of a row that has stepped aside; no other row is in it. */
function ownStream({ id, stream }: Mark['row']): string {
  const suffix = ` aside ${id}`
  return stream.endsWith(suffix) ? stream : stream + suffix
}

type Columns = Selectable<OutboxTable>
type Facts = Pick<Columns, 'id' | 'attempts' | 'lastStatus' | 'lastError'>

/** Postpones a row. A row that was dropped, or that another node has claimed, is left unchanged. */
const putOff = compiledOnce<Facts & Pick<Columns, 'stream' | 'nextAttemptAt' | 'claimedBy'>>(
  ['id', 'attempts', 'lastStatus', 'lastError', 'stream', 'nextAttemptAt', 'claimedBy'],
  (db, { id, claimedBy: node, ...values }) =>
    db
      .updateTable('outbox')
      .set({ ...values, ...UNCLAIMED })
      .where('id', '=', id)
      .where('state', '=', PENDING)
      .where('claimedBy', '=', node),
)

/**
 * Ends a row. A row that is no longer pending was dropped or delivered by another node, and keeps its state.
 */
const end = compiledOnce<Facts & Pick<Columns, 'state'>>(
  ['id', 'attempts', 'lastStatus', 'lastError', 'state'],
  (db, { id, ...values }) =>
    db
      .updateTable('outbox')
      .set({ ...values, ...UNCLAIMED })
      .where('id', '=', id)
      .where('state', '=', PENDING),
)

/**
 * Makes the first waiting row of a stream pending unless another row is: a late result must not free a second
 * one.
 */
const freeWaiting = compiledOnce<Pick<Columns, 'stream' | 'claimedBy' | 'claimedUntil'>>(
  ['stream', 'claimedBy', 'claimedUntil'],
  (db, { stream, ...claim }) =>
    db
      .updateTable('outbox')
      .set({ state: 'pending', ...claim })
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('outbox')
              .select('id')
              .where('stream', '=', stream)
              .where('state', '=', PENDING),
          ),
        ),
      )
      .where('id', '=', (next) =>
        next
          .selectFrom('outbox')
          .select('id')
          .where('stream', '=', stream)
          .where('state', '=', WAITING)
          .orderBy('id')
          .limit(1),
      ),
)

/** Selects the pending row of a stream and locks it until the transaction ends. */
export function head(tx: Reader, stream: string) {
  const pending = tx
    .selectFrom('outbox')
    .select('id')
    .where('stream', '=', stream)
    .where('state', '=', PENDING)
  return lockRows(tx, pending)
}

/** Makes the first waiting row of a stream pending, when no other one is. */
export async function freeNext(tx: Writer, stream: string): Promise<void> {
  const first = await head(tx, stream).executeTakeFirst()
  if (first === undefined) await freeWaiting(tx, { stream, ...UNCLAIMED })
}
