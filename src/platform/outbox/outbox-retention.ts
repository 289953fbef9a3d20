import type { Clock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import { startRetention } from '../database/retention.js'
import type { Logger } from '../log.js'

export interface OutboxRetentionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
}

const HOUR_MS = 3_600_000
/** Time that delivered rows are stored, ms; the event log keeps their requests longer. */
const DELIVERED_MS = 24 * HOUR_MS
const DEAD_MS = 7 * 24 * HOUR_MS
/** Number of rows that one pass reads. */
const ROWS = 500

/** Removes delivered and dropped rows after a day and dead ones after a week, until disposed. */
export function startOutboxRetention(deps: OutboxRetentionDeps): AsyncDisposable {
  return startRetention({
    name: 'old rows of the outbox',
    log: deps.log,
    removeSome: createOutboxRetention(deps),
  })
}

/**
 * Reads the next few rows by age. Rows that stay (dead for less than a week) cost one read per round and need
 * no index. A row that is committed late is found in the next round.
 */
export function createOutboxRetention(deps: OutboxRetentionDeps): () => Promise<boolean> {
  let after = 0
  return async () => {
    const { last, isMore } = await removeBehind(deps, after)
    after = isMore ? last : 0
    return isMore
  }
}

/** Removes rows that are still old: another node may have replayed one meanwhile. */
async function removeOld(tx: Writer, ids: readonly number[], now: number): Promise<void> {
  await tx
    .deleteFrom('outbox')
    .where('id', 'in', ids)
    .where((row) =>
      row.or([
        row('state', 'in', ['delivered', 'dropped']).and('createdAt', '<', now - DELIVERED_MS),
        row('state', '=', 'dead').and('createdAt', '<', now - DEAD_MS),
      ]),
    )
    .execute()
}

async function removeBehind(
  { db, clock }: OutboxRetentionDeps,
  after: number,
): Promise<{ readonly last: number; readonly isMore: boolean }> {
  const now = clock.now()
  const rows = await db.read
    .selectFrom('outbox')
    .select(['id', 'state', 'createdAt'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(ROWS)
    .execute()
  const old = rows.filter(
    ({ state, createdAt: at }) =>
      ((state === 'delivered' || state === 'dropped') && at < now - DELIVERED_MS) ||
      (state === 'dead' && at < now - DEAD_MS),
  )
  if (old.length > 0) {
    const ids = old.map(({ id }) => id)
    await db.write((tx) => removeOld(tx, ids, now), 'read-committed')
  }
  const last = rows.at(-1)
  const isMore = rows.length === ROWS && last !== undefined && last.createdAt < now - DELIVERED_MS
  return { last: last?.id ?? 0, isMore }
}
