/** Messages that wait for their scheduled time or for their slot. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { DailyCap } from '../rules/sending-rate.js'
import type { MessageQueueTable } from '../tables.js'

export type QueuedRow = Selectable<MessageQueueTable>

export async function queueMessage(tx: Writer, row: Omit<QueuedRow, 'id'>): Promise<void> {
  await tx.insertInto('message_queue').values(row).execute()
}

export async function leaveQueue(tx: Writer, sid: string): Promise<boolean> {
  const left = await tx.deleteFrom('message_queue').where('sid', '=', sid).executeTakeFirst()
  return left.numDeletedRows > 0n
}

/** Due rows in sending order. */
export async function dueRows(
  read: Reader,
  state: QueuedRow['state'],
  now: number,
  limit: number,
): Promise<readonly QueuedRow[]> {
  return await read
    .selectFrom('message_queue')
    .selectAll()
    .where('state', '=', state)
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The time at which the next row is due; undefined when none waits. */
export async function nextDueAt(read: Reader): Promise<number | undefined> {
  const { at } = await read
    .selectFrom('message_queue')
    .select((select) => select.fn.min<number | null>('dueAt').as('at'))
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

/** Sets the slot of a scheduled row whose time has come. */
export async function takeTurn(tx: Writer, sid: string, dueAt: number): Promise<void> {
  await tx
    .updateTable('message_queue')
    .set({ state: 'queued', dueAt })
    .where('sid', '=', sid)
    .execute()
}

/** Time of the last queued message of a pair. */
export async function lastOfPair(read: Reader, pair: string): Promise<number | undefined> {
  const { at } = await read
    .selectFrom('message_queue')
    .select((select) => select.fn.max<number | null>('dueAt').as('at'))
    .where('pair', '=', pair)
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

/**
 * Reserves the next slot of a rate; resolves with its time in epoch microseconds. The database assigns each
 * slot once, to any node.
 */
export async function reserveTurn(
  tx: Writer,
  bucket: string,
  takesMicros: number,
  nowMicros: number,
): Promise<number> {
  const { nextAtMicros: next } = await tx
    .insertInto('message_turns')
    .values({ bucket, nextAtMicros: nowMicros + takesMicros })
    .onConflict((known) =>
      known.column('bucket').doUpdateSet((set) => ({
        nextAtMicros: set
          .case()
          .when('message_turns.nextAtMicros', '>', nowMicros)
          .then(set('message_turns.nextAtMicros', '+', takesMicros))
          .else(nowMicros + takesMicros)
          .end(),
      })),
    )
    .returning('nextAtMicros')
    .executeTakeFirstOrThrow()
  return next - takesMicros
}

/** A day of a cap, perhaps later than the request. */
export interface CapDay {
  readonly day: string
  readonly today: string
}

/**
 * Takes segments from a day's cap; false when too few are left. The database assigns each once, to any node.
 */
export async function takeFromDay(
  tx: Writer,
  cap: DailyCap,
  { day, today }: CapDay,
  segments: number,
): Promise<boolean> {
  if (segments > cap.segments) return false
  const taken = await tx
    .insertInto('message_daily_counts')
    .values({ capKey: cap.key, day, segments })
    .onConflict((known) =>
      known
        .columns(['capKey', 'day'])
        .doUpdateSet((set) => ({ segments: set('message_daily_counts.segments', '+', segments) }))
        .where('message_daily_counts.segments', '<=', cap.segments - segments),
    )
    .returning('segments')
    .executeTakeFirst()
  if (taken === undefined) return false
  // The first of a day removes past days.
  if (taken.segments === segments)
    await tx
      .deleteFrom('message_daily_counts')
      .where('capKey', '=', cap.key)
      .where('day', '<', today)
      .execute()
  return true
}
