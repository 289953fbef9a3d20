import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import { newSid } from '../../platform/ids.js'
import type { CallbackOutbox, NewCallback } from '../../platform/outbox/callback.js'
import { QueueNameTakenError, QueueNotEmptyError, QueueNotFoundError } from './queue-errors.js'
import { type StoredMember, toMemberRow } from './queue-record.js'
import { countRemoteCallers } from './remote-callers.js'
import type { QueueRecord } from './tables.js'

export interface QueueStoreDeps {
  readonly db: Database
  readonly clock: Clock
  readonly outbox: CallbackOutbox
}

export interface QueueChange {
  readonly friendlyName?: string | undefined
  readonly maxSize?: number | undefined
}

/** The result of adding a caller. */
export type Entry = 'stored' | 'full' | 'no-queue'

export interface QueueStore {
  /** Creates a queue. Rejects with QueueNameTakenError. */
  create(accountSid: string, friendlyName: string, maxSize: number): Promise<QueueRecord>
  /** Resolves with the queue of that name, which is created if needed. */
  open(accountSid: string, friendlyName: string, newMaxSize: number): Promise<QueueRecord>
  findByName(accountSid: string, friendlyName: string): Promise<QueueRecord | undefined>
  /** Resolves with the queue. Rejects with QueueNotFoundError, as `change` and `remove` do. */
  find(accountSid: string, sid: string): Promise<QueueRecord>
  change(accountSid: string, sid: string, change: QueueChange): Promise<QueueRecord>
  /** Deletes an empty queue. Rejects with QueueNotEmptyError. */
  remove(accountSid: string, sid: string): Promise<void>
  /**
   * Stores a caller, unless the queue was deleted meanwhile, or `remotePlaces` or more callers wait in it on
   * other nodes.
   */
  insertMember(member: StoredMember, remotePlaces: number): Promise<Entry>
  /** Stores the time of the connection; undefined when the caller waits again. */
  markBridged(callSid: string, at: number | undefined): Promise<void>
  /** Deletes a caller who has left, and queues the callback in the same commit. */
  removeMember(callSid: string, callback: NewCallback | undefined): Promise<void>
  enqueueCallback(callback: NewCallback | undefined): Promise<void>
}

export function createQueueStore(deps: QueueStoreDeps): QueueStore {
  const { db, outbox } = deps
  return {
    ...queuesOf(deps),
    insertMember: (member, remotePlaces) =>
      db.write(async (tx) => {
        const queue = await tx
          .selectFrom('queues')
          .select('sid')
          .where('sid', '=', member.queueSid)
          .executeTakeFirst()
        if (queue === undefined) return 'no-queue'
        const { engine, node } = db
        const remote = await countRemoteCallers({ engine, node, read: tx }, [queue.sid])
        if ((remote.get(queue.sid)?.size ?? 0) >= remotePlaces) return 'full'
        await tx.insertInto('queue_members').values(toMemberRow(member)).execute()
        return 'stored'
      }),
    markBridged: (callSid, at) =>
      db.write(async (tx) => {
        await tx
          .updateTable('queue_members')
          .set({ bridgedAt: at ?? null })
          .where('callSid', '=', callSid)
          .execute()
      }),
    removeMember: async (callSid, callback) => {
      await outbox.commit(async (tx, enqueue) => {
        const { numDeletedRows } = await tx
          .deleteFrom('queue_members')
          .where('callSid', '=', callSid)
          .executeTakeFirst()
        // A caller that another node has removed is reported by that node.
        if (callback !== undefined && numDeletedRows > 0n) await enqueue([callback])
      })
    },
    enqueueCallback: async (callback) => {
      if (callback !== undefined) await outbox.commit((_tx, enqueue) => enqueue([callback]))
    },
  }
}

function queuesOf({
  db,
  clock,
}: QueueStoreDeps): Omit<
  QueueStore,
  'insertMember' | 'markBridged' | 'removeMember' | 'enqueueCallback'
> {
  const findByName: QueueStore['findByName'] = async (accountSid, friendlyName) => {
    const row = await db.read
      .selectFrom('queues')
      .selectAll()
      .where('accountSid', '=', accountSid)
      .where('friendlyName', '=', friendlyName)
      .executeTakeFirst()
    return row
  }
  const find: QueueStore['find'] = async (accountSid, sid) => {
    const row = await db.read
      .selectFrom('queues')
      .selectAll()
      .where('sid', '=', sid)
      .where('accountSid', '=', accountSid)
      .executeTakeFirst()
    if (row === undefined) throw new QueueNotFoundError(`there is no queue ${sid}`)
    return row
  }
  const newQueue = (accountSid: string, friendlyName: string, maxSize: number): QueueRecord => {
    const now = clock.now()
    return { sid: newSid('QU'), accountSid, friendlyName, maxSize, createdAt: now, updatedAt: now }
  }
  return {
    findByName,
    find,
    create: async (...wanted) => {
      const queue = newQueue(...wanted)
      if (!(await db.write((tx) => insertQueue(tx, queue)))) throw nameTaken(queue.friendlyName)
      return queue
    },
    open: async (accountSid, friendlyName, newMaxSize) => {
      const known = await findByName(accountSid, friendlyName)
      if (known !== undefined) return known
      const queue = newQueue(accountSid, friendlyName, newMaxSize)
      const isNew = await db.write((tx) => insertQueue(tx, queue))
      // Another request created the queue at the same time.
      return isNew ? queue : ((await findByName(accountSid, friendlyName)) ?? queue)
    },
    change: async (accountSid, sid, change) => {
      await db.write((tx) => changeQueue(tx, { accountSid, sid }, change, clock.now()))
      return find(accountSid, sid)
    },
    remove: async (accountSid, sid) => {
      await find(accountSid, sid)
      await db.write((tx) => deleteQueue(tx, sid))
    },
  }
}

/** Stores a queue; resolves with false when the account already has a queue of that name. */
async function insertQueue(tx: Writer, queue: QueueRecord): Promise<boolean> {
  const inserted = await tx
    .insertInto('queues')
    .values(queue)
    .onConflict((conflict) => conflict.columns(['accountSid', 'friendlyName']).doNothing())
    .executeTakeFirst()
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
}

async function changeQueue(
  tx: Writer,
  { accountSid, sid }: { readonly accountSid: string; readonly sid: string },
  { friendlyName, maxSize }: QueueChange,
  now: number,
): Promise<void> {
  if (friendlyName !== undefined && (await isTaken(tx, accountSid, friendlyName, sid)))
    throw nameTaken(friendlyName)
  await tx
    .updateTable('queues')
    .set({
      updatedAt: now,
      friendlyName,
      maxSize,
    })
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .execute()
}

async function isTaken(
  tx: Writer,
  accountSid: string,
  friendlyName: string,
  by: string,
): Promise<boolean> {
  const other = await tx
    .selectFrom('queues')
    .select('sid')
    .where('accountSid', '=', accountSid)
    .where('friendlyName', '=', friendlyName)
    .where('sid', '<>', by)
    .executeTakeFirst()
  return other !== undefined
}

async function deleteQueue(tx: Writer, sid: string): Promise<void> {
  const member = await tx
    .selectFrom('queue_members')
    .select('callSid')
    .where('queueSid', '=', sid)
    .where('bridgedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (member !== undefined) throw new QueueNotEmptyError('callers wait in the queue')
  await tx.deleteFrom('queues').where('sid', '=', sid).execute()
}

function nameTaken(friendlyName: string): QueueNameTakenError {
  return new QueueNameTakenError(`a queue with the name "${friendlyName}" exists already`)
}
