import type { Clock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import type { AttemptResult, OutboxRow } from './outbox-row.js'

/** What came of one attempt at delivering a row. */
export type Mark = { readonly row: OutboxRow; readonly result: AttemptResult } & (
  | { readonly state: 'delivered' | 'dead' }
  /** Tried again then; its stream waits behind it. */
  | { readonly state: 'pending'; readonly nextAttemptAt: number }
)

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

/** Marks that wait for the disk together are one write, not one each; `add` resolves once it is durable. */
export function createMarkBatch(db: Database, clock: Clock): { add(mark: Mark): Promise<void> } {
  const waiting: Job[] = []
  let writing: Promise<void> | undefined
  let gatherMs = MIN_GATHER_MS
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, gatherMs))
      const batch = waiting.splice(0, MAX_BATCH)
      const startedAt = clock.monotonic()
      try {
        await db.write(async (tx) => {
          for (const { mark } of batch) await store(tx, mark)
        })
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      const tookMs = clock.monotonic() - startedAt
      gatherMs = Math.min(Math.max(MIN_GATHER_MS, 2 * tookMs), MAX_GATHER_MS)
    }
    writing = undefined
  }
  return {
    add: (mark) =>
      new Promise((resolve, reject) => {
        waiting.push({ mark, resolve, reject })
        writing ??= writeAll()
      }),
  }
}

async function store(tx: Writer, mark: Mark): Promise<void> {
  const { row, result, state } = mark
  await tx
    .updateTable('outbox')
    .set({
      state,
      attempts: row.attempts + 1,
      last_status: result.status ?? null,
      last_error: result.error?.slice(0, MAX_ERROR_CHARS) ?? null,
      ...(mark.state === 'pending' && { next_attempt_at: mark.nextAttemptAt }),
    })
    .where('id', '=', row.id)
    .execute()
  if (mark.state === 'pending') return
  await tx
    .updateTable('outbox')
    .set({ state: 'pending' })
    .where('id', '=', (next) =>
      next
        .selectFrom('outbox')
        .select('id')
        .where('stream', '=', row.stream)
        .where('state', 'in', ['pending', 'waiting'])
        .orderBy('id')
        .limit(1),
    )
    .execute()
}
