import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.js'
import type { Database, Reader, Writer } from '../database/database.js'
import type { Selectable } from '../database/tables.js'
import type { WebhookParams } from '../webhooks/signature.js'
import { createMarkBatch } from './outbox-marks.js'
import type { NewOutboxRow, OutboxRow, OutboxStore } from './outbox-row.js'
import type { OutboxTable } from './tables.js'

export interface DatabaseOutbox extends OutboxStore {
  /** Whatever waits for a later moment waits no longer: after the clock was set, that moment is another. */
  makeDue(now: number): Promise<void>
  /** Writes rows in the transaction of the change that they report; notify the outbox after its commit. */
  enqueue(tx: Writer, rows: readonly NewOutboxRow[]): Promise<void>
}

/** Written out, not bound: only so does the planner know that the index of pending rows is enough. */
const PENDING = sql.lit('pending' as const)

export function createOutboxStore(deps: {
  readonly db: Database
  readonly clock: Clock
}): DatabaseOutbox {
  const { db, clock } = deps
  const marks = createMarkBatch(db, clock)
  return {
    enqueue: async (tx, rows) => {
      for (const row of rows) await insert(tx, row, clock.now())
    },
    makeDue: async (now) => {
      await db.write((tx) =>
        tx
          .updateTable('outbox')
          .set({ next_attempt_at: now })
          .where('state', 'in', ['pending', 'waiting'])
          .where('next_attempt_at', '>', now)
          .execute(),
      )
    },
    pendingAccounts: () => pendingAccounts(db),
    due: (accountSid, now, limit, busy) => due(db, accountSid, now, limit, busy),
    nextDueAfter: async (accountSid, now) => {
      const first = await db.read
        .selectFrom('outbox')
        .select('next_attempt_at')
        .where('account_sid', '=', accountSid)
        .where('state', '=', PENDING)
        .where('next_attempt_at', '>', now)
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst()
      return first?.next_attempt_at
    },
    markDelivered: (row, result) => marks.add({ row, result, state: 'delivered' }),
    markDead: (row, result) => marks.add({ row, result, state: 'dead' }),
    markFailed: (row, result, nextAttemptAt) =>
      marks.add({ row, result, state: 'pending', nextAttemptAt }),
  }
}

async function insert(tx: Writer, row: NewOutboxRow, now: number): Promise<void> {
  // Only the first of a stream is pending, so that finding what is due takes no walk over a backlog.
  const state = sql<'pending' | 'waiting'>`case when exists (
    select 1 from outbox where stream = ${row.stream} and state in ('pending', 'waiting')
  ) then 'waiting' else 'pending' end`
  await tx
    .insertInto('outbox')
    .values({
      stream: row.stream,
      account_sid: row.accountSid,
      kind: row.kind,
      url: row.url,
      method: row.method,
      params: JSON.stringify(row.params),
      created_at: now,
      next_attempt_at: now,
      attempts: 0,
      state,
      last_status: null,
      last_error: null,
      idempotency_token: randomUUID(),
    })
    .execute()
}

async function due(
  db: Database,
  accountSid: string,
  now: number,
  limit: number,
  busy: ReadonlySet<string>,
): Promise<readonly OutboxRow[]> {
  const rows = await dueQuery(db.read, accountSid, now, limit).execute()
  return rows.filter((row) => !busy.has(row.stream)).map(fromTable)
}

/** Apart, so that a test can ask how it is run: its work must not grow with the backlog. */
export function dueQuery(read: Reader, accountSid: string, now: number, limit: number) {
  return read
    .selectFrom('outbox')
    .selectAll()
    .where('account_sid', '=', accountSid)
    .where('state', '=', PENDING)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
}

/** From account to account by the index, whatever the number of their rows. */
async function pendingAccounts(db: Database) {
  const { rows } = await sql<{ accountSid: string; dueAt: number }>`
    with recursive pending (account) as (
      select min(account_sid) from outbox where state = ${PENDING}
      union all
      select (
        select min(account_sid) from outbox where state = ${PENDING} and account_sid > account
      ) from pending where account is not null
    )
    select account as "accountSid", (
      select min(next_attempt_at) from outbox where state = ${PENDING} and account_sid = account
    ) as "dueAt"
    from pending where account is not null
  `.execute(db.read)
  return rows
}

function fromTable(row: Selectable<OutboxTable>): OutboxRow {
  return {
    id: row.id,
    stream: row.stream,
    accountSid: row.account_sid,
    kind: row.kind,
    url: row.url,
    method: row.method === 'GET' ? 'GET' : 'POST',
    params: JSON.parse(row.params) as WebhookParams, // as `insert` wrote it
    createdAt: row.created_at,
    attempts: row.attempts,
    idempotencyToken: row.idempotency_token,
  }
}
