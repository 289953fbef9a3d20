import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.js'
import type { NewOutboxRow, OutboxRow, OutboxStore } from '../webhooks/outbox-row.js'
import type { WebhookParams } from '../webhooks/signature.js'
import type { Database, Reader, Writer } from './database.js'
import type { OutboxTable } from './schema.js'
import type { Selectable } from './selectable.js'

export interface DatabaseOutbox extends OutboxStore {
  /** Writes rows in the transaction of the change that they report; notify the outbox after its commit. */
  enqueue(tx: Writer, rows: readonly NewOutboxRow[]): Promise<void>
}

/** Written out, not bound: only so does the planner know that the index of pending rows is enough. */
const PENDING = sql.lit('pending' as const)
const MAX_ERROR_CHARS = 500

export function createOutboxStore(deps: {
  readonly db: Database
  readonly clock: Clock
}): DatabaseOutbox {
  const { db, clock } = deps
  return {
    enqueue: async (tx, rows) => {
      for (const row of rows) await insert(tx, row, clock.now())
    },
    pendingAccounts: () => pendingAccounts(db),
    due: (accountSid, now, limit) => due(db, accountSid, now, limit),
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
    markDelivered: (row, result) => end(db, row, 'delivered', result),
    markDead: (row, result) => end(db, row, 'dead', result),
    markFailed: async (row, { status, error }, nextAttemptAt) => {
      await db.write(async (tx) => {
        await tx
          .updateTable('outbox')
          .set({
            attempts: row.attempts + 1,
            last_status: status ?? null,
            last_error: error?.slice(0, MAX_ERROR_CHARS) ?? null,
          })
          .where('id', '=', row.id)
          .execute()
        await tx
          .updateTable('outbox')
          .set({ next_attempt_at: nextAttemptAt })
          .where('stream', '=', row.stream)
          .where('state', '=', PENDING)
          .execute()
      })
    },
  }
}

async function insert(tx: Writer, row: NewOutboxRow, now: number): Promise<void> {
  // A row behind one that waits for its retry waits as long; so what is due is first in its stream
  // or close behind, and finding it takes no walk over a backlog.
  const nextAttemptAt = sql<number>`coalesce((
    select next_attempt_at from outbox
    where stream = ${row.stream} and state = ${PENDING} order by id limit 1
  ), ${now})`
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
      next_attempt_at: nextAttemptAt,
      attempts: 0,
      state: 'pending',
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
): Promise<readonly OutboxRow[]> {
  const rows = await dueQuery(db.read, accountSid, now, limit).execute()
  return rows.map(fromTable)
}

/** Apart, so that a test can ask how it is run: its work must not grow with the backlog. */
export function dueQuery(read: Reader, accountSid: string, now: number, limit: number) {
  return read
    .selectFrom('outbox')
    .selectAll()
    .where('account_sid', '=', accountSid)
    .where('state', '=', PENDING)
    .where('next_attempt_at', '<=', now)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outbox as earlier')
            .select('earlier.id')
            .whereRef('earlier.stream', '=', 'outbox.stream')
            .where('earlier.state', '=', PENDING)
            .whereRef('earlier.id', '<', 'outbox.id'),
        ),
      ),
    )
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

async function end(
  db: Database,
  row: OutboxRow,
  state: 'delivered' | 'dead',
  result: { readonly status: number | undefined; readonly error: string | undefined },
): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('outbox')
      .set({
        state,
        attempts: row.attempts + 1,
        last_status: result.status ?? null,
        last_error: result.error?.slice(0, MAX_ERROR_CHARS) ?? null,
      })
      .where('id', '=', row.id)
      .execute(),
  )
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
