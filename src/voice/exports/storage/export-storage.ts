/** Rows of archives: which exist, which are to be built, and by which node. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import type { Selectable } from '../../../platform/database/tables.js'
import type { DailyExportsTable } from '../tables.js'

export type ExportRow = Selectable<DailyExportsTable>

/** The key of an archive. */
export interface ExportKey {
  readonly accountSid: string
  readonly day: string
}

const OPEN = ['queued', 'building'] as const

/** Queues archives that have no row yet. */
export async function insertQueued(
  tx: Writer,
  keys: readonly ExportKey[],
  now: number,
): Promise<void> {
  if (keys.length === 0) return
  await tx
    .insertInto('daily_exports')
    .values(keys.map((key) => newRow(key, now)))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Queues an archive in any state; one that is queued or being built is left unchanged. */
export async function queueAgain(tx: Writer, key: ExportKey, now: number): Promise<void> {
  await tx
    .insertInto('daily_exports')
    .values(newRow(key, now))
    .onConflict((conflict) =>
      conflict
        .columns(['accountSid', 'day'])
        .doUpdateSet({
          state: 'queued',
          dueAt: now,
          attempts: 0,
          progress: 0,
          records: 0,
          error: null,
          updatedAt: now,
        })
        .where('daily_exports.state', 'not in', [...OPEN]),
    )
    .execute()
}

function newRow({ accountSid, day }: ExportKey, now: number): ExportRow {
  return {
    accountSid,
    day,
    state: 'queued',
    lease: null,
    builder: null,
    dueAt: now,
    attempts: 0,
    progress: 0,
    records: 0,
    bytes: null,
    unfinished: 0,
    builtAt: null,
    error: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Returns the next due row: one that is queued, or one whose lease has expired. */
export async function firstDue(read: Reader): Promise<ExportRow | undefined> {
  return await read
    .selectFrom('daily_exports')
    .selectAll()
    .where('state', 'in', [...OPEN])
    .orderBy('dueAt')
    .orderBy('accountSid')
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
}

/** Claims the row for a builder; false when another process was faster. */
export async function claim(
  tx: Writer,
  row: ExportRow,
  lease: {
    readonly name: string
    readonly builder: string
    readonly until: number
    readonly now: number
  },
): Promise<boolean> {
  const changed = await byKey(tx, row)
    .set({
      state: 'building',
      lease: lease.name,
      builder: lease.builder,
      dueAt: lease.until,
      attempts: row.attempts + 1,
      progress: 0,
      records: 0,
      updatedAt: lease.now,
    })
    .where('state', '=', row.state)
    .where('dueAt', '=', row.dueAt)
    .where('attempts', '=', row.attempts)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Changes a row while the builder still has its lease; false once it is lost. */
export async function changeClaimed(
  tx: Writer,
  row: ExportRow,
  lease: string,
  change: Partial<ExportRow>,
): Promise<boolean> {
  const changed = await byKey(tx, row)
    .set(change)
    .where('state', '=', 'building')
    .where('lease', '=', lease)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Re-queues the builds of a node that is gone, without waiting for their leases to expire. */
export async function releaseBuilds(tx: Writer, builder: string, now: number): Promise<void> {
  await tx
    .updateTable('daily_exports')
    .set({ state: 'queued', lease: null, builder: null, dueAt: now, updatedAt: now })
    .where('state', '=', 'building')
    .where('builder', '=', builder)
    .execute()
}

function byKey(tx: Writer, { accountSid, day }: Pick<ExportRow, 'accountSid' | 'day'>) {
  return tx.updateTable('daily_exports').where('accountSid', '=', accountSid).where('day', '=', day)
}

export async function findExport(
  read: Reader,
  { accountSid, day }: ExportKey,
): Promise<ExportRow | undefined> {
  return await read
    .selectFrom('daily_exports')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .where('day', '=', day)
    .executeTakeFirst()
}

/** Lists the account's downloadable archives, newest first: one per day at most. */
export async function listBuilt(
  read: Reader,
  accountSid: string,
  firstDay: string,
): Promise<readonly ExportRow[]> {
  return await read
    .selectFrom('daily_exports')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .where('day', '>=', firstDay)
    .where('bytes', 'is not', null)
    .orderBy('day', 'desc')
    .execute()
}

/** Returns the rows of these accounts for these days. */
export async function rowsOf(
  read: Reader,
  accountSids: readonly string[],
  days: readonly string[],
): Promise<readonly ExportRow[]> {
  if (accountSids.length === 0) return []
  return await read
    .selectFrom('daily_exports')
    .selectAll()
    .where('accountSid', 'in', [...accountSids])
    .where('day', 'in', [...days])
    .execute()
}

export async function expiredExports(
  read: Reader,
  firstDay: string,
  limit: number,
): Promise<readonly ExportRow[]> {
  return await read
    .selectFrom('daily_exports')
    .selectAll()
    .where('day', '<', firstDay)
    .orderBy('day')
    .limit(limit)
    .execute()
}

export async function deleteExport(tx: Writer, { accountSid, day }: ExportRow): Promise<void> {
  await tx
    .deleteFrom('daily_exports')
    .where('accountSid', '=', accountSid)
    .where('day', '=', day)
    .execute()
}
