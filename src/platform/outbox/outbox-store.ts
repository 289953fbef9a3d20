import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.js'
import { jsonAtRest } from '../database/at-rest.js'
import { claimOf, isFreeFor, MARGIN_MS } from '../database/claims.js'
import { compiledOnce } from '../database/compiled-once.js'
import type { Database, Reader, Writer } from '../database/database.js'
import type { Selectable, Written } from '../database/tables.js'
import { InvariantError } from '../errors.js'
import type { Channel } from './channel.js'
import { byStream, head, MarkBatch, PENDING, storeMark, WAITING } from './outbox-marks.js'
import type { Mark, NewOutboxRow, OutboxRow, OutboxStore } from './outbox-row.js'
import type { OutboxTable } from './tables.js'

export interface OutboxStoreDeps {
  readonly db: Database
  readonly clock: Clock
  /** Node name in claims; stable over restarts, so that a killed process resumes its own claims at once. */
  readonly node: string
  readonly channelOf: (name: string) => Pick<Channel<never>, 'onMarked'> | undefined
}

/**
 * Stores the outbox as a table, and decides which node delivers a row. One node claims a row for a
 * while, and an index allows one pending row for each stream. The node that writes a row claims it,
 * so that delivering it costs no further write.
 *
 * A write that adds a waiting row holds a lock on the stream's pending row. The write that ends the
 * pending row waits for it, and then sees every waiting row: none is left behind without a head.
 */
export class DatabaseOutboxStore implements OutboxStore {
  readonly #deps: OutboxStoreDeps
  readonly #marks: MarkBatch

  constructor(deps: OutboxStoreDeps) {
    this.#deps = deps
    this.#marks = new MarkBatch(deps.db, deps.clock, deps.node)
  }

  /** Writes rows in the transaction of the change that they report. */
  async insert(tx: Writer, rows: readonly NewOutboxRow[]): Promise<void> {
    for (const row of rows.toSorted(byStream))
      await insertRow(tx, row, this.#deps.clock.now(), this.#deps.node)
  }

  async claimDue(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]> {
    const { db, node } = this.#deps
    const found = await dueQuery(db.read, { accountSid, now, limit, node }).execute()
    const rows = found.filter(({ stream }) => !busy.has(stream))
    const unclaimed = rows.filter(
      ({ claimedBy: by, claimedUntil: until }) => by !== node || (until ?? 0) < now + MARGIN_MS,
    )
    if (unclaimed.length === 0) return rows.map(toOutboxRow)
    const ids = unclaimed.map(({ id }) => id)
    const claimed = await db.write((tx) => claim(tx, ids, node, now), 'read-committed')
    const lost = new Set(ids.filter((id) => !claimed.has(id)))
    return rows.filter(({ id }) => !lost.has(id)).map(toOutboxRow)
  }

  async nextDueAfter(accountSid: string, now: number): Promise<number | undefined> {
    const first = await this.#deps.db.read
      .selectFrom('outbox')
      .select('nextAttemptAt')
      .where('accountSid', '=', accountSid)
      .where('state', '=', PENDING)
      .where('nextAttemptAt', '>', now)
      .orderBy('nextAttemptAt')
      .limit(1)
      .executeTakeFirst()
    return first?.nextAttemptAt
  }

  /** Skips from account to account in the index, whatever the number of their rows. */
  async pendingAccounts(): Promise<{ accountSid: string; dueAt: number }[]> {
    const rows = await this.#deps.db.read
      .withRecursive('pending(account)', (query) =>
        query
          .selectFrom('outbox')
          .select((each) => each.fn.min<string | null>('accountSid').as('account'))
          .where('state', '=', PENDING)
          .unionAll((next) =>
            next
              .selectFrom('pending')
              .where('account', 'is not', null)
              .select((each) =>
                each
                  .selectFrom('outbox')
                  .select((row) => row.fn.min<string | null>('accountSid').as('account'))
                  .where('state', '=', PENDING)
                  .whereRef('accountSid', '>', 'pending.account')
                  .as('account'),
              ),
          ),
      )
      .selectFrom('pending')
      .where('account', 'is not', null)
      .select('account')
      .select((each) =>
        each
          .selectFrom('outbox')
          .select((row) => row.fn.min<number>('nextAttemptAt').as('dueAt'))
          .where('state', '=', PENDING)
          .whereRef('accountSid', '=', 'pending.account')
          .as('dueAt'),
      )
      .execute()
    return rows.flatMap(({ account, dueAt }) =>
      account === null || dueAt === null ? [] : [{ accountSid: account, dueAt }],
    )
  }

  async mark(mark: Mark): Promise<void> {
    const { db, node, channelOf } = this.#deps
    const onMarked = channelOf(mark.row.channel)?.onMarked
    if (onMarked === undefined) {
      await this.#marks.add(mark)
      return
    }
    await db.write(async (tx) => {
      await storeMark(tx, mark, node, this.#deps.clock.now())
      await onMarked(tx, mark)
    })
  }

  /** Makes all later rows due now: after the clock was set, the stored times are wrong. */
  async makeAllDue(now: number): Promise<void> {
    await this.#deps.db.write((tx) =>
      tx
        .updateTable('outbox')
        .set({ nextAttemptAt: now })
        .where('state', 'in', ['pending', 'waiting'])
        .where('nextAttemptAt', '>', now)
        .execute(),
    )
  }
}

type InsertedValues = Omit<
  Written<OutboxTable>,
  'id' | 'state' | 'attempts' | 'lastStatus' | 'lastError'
>

const insertValues = compiledOnce<InsertedValues>(
  [
    'channel',
    'stream',
    'accountSid',
    'kind',
    'payload',
    'idempotencyToken',
    'createdAt',
    'nextAttemptAt',
    'claimedBy',
    'claimedUntil',
  ],
  (db, values) =>
    db
      .insertInto('outbox')
      .values((each) => ({
        ...values,
        // Only the first of a stream is pending, so that finding what is due takes no walk over a backlog.
        state: each
          .case()
          .when(each.exists(head(db, values.stream)))
          .then(WAITING)
          .else(PENDING)
          .end(),
        attempts: 0,
        lastStatus: null,
        lastError: null,
      }))
      .onConflict((taken) => taken.column('stream').where('state', '=', PENDING).doNothing()),
)

/** Maximum tries of an insert whose stream gets a new head from another node meanwhile. */
const MAX_INSERTS = 20

async function insertRow(tx: Writer, row: NewOutboxRow, now: number, node: string): Promise<void> {
  const values = {
    channel: row.channel,
    stream: row.stream,
    accountSid: row.accountSid,
    kind: row.kind,
    payload: jsonAtRest(row.payload),
    idempotencyToken: row.idempotencyToken ?? randomUUID(),
    createdAt: now,
    nextAttemptAt: now,
    ...claimOf(node, now),
  }
  for (let inserts = 1; inserts <= MAX_INSERTS; inserts += 1)
    if ((await insertValues(tx, values)).changed === 1) return
  throw new InvariantError(`the outbox could not append to the stream ${row.stream}`)
}

/** Returns the query for due rows. Exported for a test of its plan: the cost must not grow with the backlog. */
export function dueQuery(
  read: Reader,
  due: {
    readonly accountSid: string
    readonly now: number
    readonly limit: number
    readonly node: string
  },
) {
  return read
    .selectFrom('outbox')
    .selectAll()
    .where('accountSid', '=', due.accountSid)
    .where('state', '=', PENDING)
    .where('nextAttemptAt', '<=', due.now)
    .where(isFreeFor(due.node, due.now))
    .orderBy('nextAttemptAt')
    .orderBy('id')
    .limit(due.limit)
}

/** Claims the rows that no other node has claimed or postponed since they were read. */
async function claim(
  tx: Writer,
  ids: readonly number[],
  node: string,
  now: number,
): Promise<ReadonlySet<number>> {
  const rows = await tx
    .updateTable('outbox')
    .set(claimOf(node, now))
    .where('id', 'in', ids)
    .where('state', '=', PENDING)
    .where('nextAttemptAt', '<=', now)
    .where(isFreeFor(node, now))
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

function toOutboxRow(row: Selectable<OutboxTable>): OutboxRow {
  return {
    id: row.id,
    channel: row.channel,
    stream: row.stream,
    accountSid: row.accountSid,
    kind: row.kind,
    payload: JSON.parse(row.payload) as unknown,
    createdAt: row.createdAt,
    attempts: row.attempts,
    idempotencyToken: row.idempotencyToken,
  }
}
