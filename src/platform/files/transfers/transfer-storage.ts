/** The queue of files that a bucket is to get or to lose: one row for each. */
import { claimOf, isFreeFor, UNCLAIMED } from '../../database/claims.js'
import type { Reader, Writer } from '../../database/database.js'
import { literal } from '../../database/literal.js'
import type { Selectable } from '../../database/tables.js'
import type { FileTransfersTable } from './tables.js'

/** The planner must see the action to use the index of removals. */
const REMOVE = literal('remove')

export type TransferRow = Selectable<FileTransfersTable>

/** A file by its kind and its name in the bucket. */
export interface QueuedFile {
  readonly name: string
  readonly kind: string
}

interface AtNode {
  readonly node: string
  readonly now: number
}

export async function queueSend(
  tx: Writer,
  files: readonly QueuedFile[],
  { node, now }: AtNode,
): Promise<void> {
  if (files.length === 0) return
  await tx
    .insertInto('file_transfers')
    .values(
      files.map(({ name, kind }) => ({
        name,
        kind,
        node,
        action: 'send' as const,
        attempts: 0,
        nextAttemptAt: now,
        errorCode: null,
        ...UNCLAIMED,
        createdAt: now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Queues a removal. A file that its own node has not begun to send is not in the bucket, and needs
 * none. The node that has or had the file comes first, since its request may be under way and its
 * folder holds the file; when its claim has ended, any node removes the object.
 */
export async function queueRemoval(
  tx: Writer,
  { name, kind }: QueuedFile,
  { node, now }: AtNode,
): Promise<void> {
  const row = await findTransfer(tx, name)
  if (row?.action === 'remove') return
  if (row?.action === 'send' && row.node === node && row.claimedUntil === null) {
    await tx.deleteFrom('file_transfers').where('name', '=', name).execute()
    return
  }
  const removal = {
    action: 'remove' as const,
    attempts: 0,
    nextAttemptAt: now,
    errorCode: null,
  }
  if (row === undefined) {
    await tx
      .insertInto('file_transfers')
      .values({ name, kind, node, createdAt: now, ...removal, ...claimOf(node, now) })
      .execute()
    return
  }
  const claim = claimOf(row.node, now)
  await tx
    .updateTable('file_transfers')
    .set(removal)
    .set({ ...claim, claimedUntil: Math.max(row.claimedUntil ?? 0, claim.claimedUntil ?? 0) })
    .where('name', '=', name)
    .execute()
}

export function findTransfer(read: Reader, name: string): Promise<TransferRow | undefined> {
  return read.selectFrom('file_transfers').selectAll().where('name', '=', name).executeTakeFirst()
}

/** The names in the list that a row has. */
export async function queuedNames(
  read: Reader,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('file_transfers')
    .select('name')
    .where('name', 'in', [...names])
    .execute()
  return new Set(rows.map(({ name }) => name))
}

/**
 * The work that has waited longest, due or not: the node's own, or the removal of a node that is
 * gone.
 */
export async function nextTransfer(
  read: Reader,
  at: AtNode,
  kinds: readonly string[],
  busy: readonly string[],
): Promise<TransferRow | undefined> {
  const { node, now } = at
  const rows = read
    .selectFrom('file_transfers')
    .selectAll()
    .where('kind', 'in', [...kinds])
    // No name is empty, and an empty list is no SQL.
    .where('name', 'not in', ['', ...busy])
    .orderBy('nextAttemptAt')
    .orderBy('name')
    .limit(1)
  const own = await rows
    .where('node', '=', node)
    .where((is) => is.or([is('action', '=', 'send'), isFreeFor(node, now)]))
    .executeTakeFirst()
  if (own !== undefined && own.nextAttemptAt <= now) return own
  const other = await rows
    .where('action', '=', REMOVE)
    .where('node', '<>', node)
    .where(isFreeFor(node, now))
    .executeTakeFirst()
  if (own === undefined || other === undefined) return own ?? other
  return own.nextAttemptAt <= other.nextAttemptAt ? own : other
}

/** Claims the row before its request; false when its work has changed or another node has it. */
export async function claimTransfer(
  tx: Writer,
  { name, action, nextAttemptAt: dueAt }: TransferRow,
  { node, now }: AtNode,
  until: number,
): Promise<boolean> {
  const changed = await tx
    .updateTable('file_transfers')
    .set({ claimedBy: node, claimedUntil: until })
    .where('name', '=', name)
    .where('action', '=', action)
    .where('nextAttemptAt', '=', dueAt)
    .where(isFreeFor(node, now))
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Ends the row's work; false when the row has another action by now. */
export async function endTransfer(tx: Writer, { name, action }: TransferRow): Promise<boolean> {
  const gone = await tx
    .deleteFrom('file_transfers')
    .where('name', '=', name)
    .where('action', '=', action)
    .executeTakeFirst()
  return gone.numDeletedRows > 0n
}

export async function postponeTransfer(
  tx: Writer,
  { name, action }: TransferRow,
  change: Pick<TransferRow, 'attempts' | 'nextAttemptAt' | 'errorCode'>,
): Promise<void> {
  await tx
    .updateTable('file_transfers')
    .set(change)
    .where('name', '=', name)
    .where('action', '=', action)
    .execute()
}

/** Makes everything due at once that this node has postponed. */
export async function hurryTransfers(tx: Writer, { node, now }: AtNode): Promise<void> {
  await tx
    .updateTable('file_transfers')
    .set({ nextAttemptAt: now })
    .where('node', '=', node)
    .where('nextAttemptAt', '>', now)
    .execute()
}

export interface WaitingFiles {
  readonly sends: number
  readonly removals: number
  /** The time since which the oldest file waits; undefined when none does. */
  readonly since: number | undefined
}

/** Counts the work that waits for this node. */
export async function countWaiting(read: Reader, node: string): Promise<WaitingFiles> {
  const rows = await read
    .selectFrom('file_transfers')
    .select((select) => [
      'action',
      select.fn.countAll<number>().as('count'),
      select.fn.min<number>('createdAt').as('since'),
    ])
    .where('node', '=', node)
    .groupBy('action')
    .execute()
  const of = (action: TransferRow['action']) => rows.find((row) => row.action === action)
  return {
    sends: of('send')?.count ?? 0,
    removals: of('remove')?.count ?? 0,
    since: of('send')?.since,
  }
}
