/**
 * Moves due messages from the queue to their outbox streams, in one transaction: with several nodes each
 * message is still released once, and those of a pair in order.
 */

import type { Ledger } from '../../ledger/ledger.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { TransactionalOutbox } from '../../platform/outbox/transactional-outbox.js'
import { findMessage } from '../storage/message-storage.js'
import {
  dueRows,
  leaveQueue,
  nextDueAt,
  type QueuedRow,
  takeTurn,
} from '../storage/queue-storage.js'
import { applyEvent } from './apply-event.js'
import type { ReleasedMessage } from './submit-channel.js'
import { turnOf } from './turn.js'

export interface ReleaseDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'post'>
  readonly callbacks: CallbackOutbox
  readonly queue: TransactionalOutbox<ReleasedMessage>
}

/** Number of messages of one transaction. */
const BATCH = 100
/** Interval at which messages of other nodes are discovered, ms. */
const POLL_MS = 5_000

/** Releases due messages and resolves with the time of the next one. */
export async function releaseMessages(deps: ReleaseDeps, signal: AbortSignal): Promise<number> {
  const { clock, db } = deps
  await promoteScheduled(deps, signal)
  while (!signal.aborted && (await releaseBatch(deps)) === BATCH);
  const now = clock.now()
  const next = await nextDueAt(db.read)
  return Math.min(next ?? Number.POSITIVE_INFINITY, now + POLL_MS)
}

async function releaseBatch({ clock, ledger, queue }: ReleaseDeps): Promise<number> {
  const now = clock.now()
  return await queue.commit(async (tx, enqueue) => {
    const rows = await dueRows(tx, 'queued', now, BATCH)
    const nothing = () => Promise.resolve()
    const due: ReleasedMessage[] = []
    for (const row of rows) {
      await leaveQueue(tx, row.sid)
      const message = await findMessage(tx, row.sid)
      if (message === undefined) continue
      const scope = { tx, enqueue: nothing, ledger, now }
      const released = await applyEvent(scope, message, { type: 'released' })
      if (released !== undefined)
        due.push({ sid: row.sid, accountSid: row.accountSid, pair: row.pair })
    }
    // All at once: the outbox touches their streams in the order that every node keeps.
    await enqueue(due)
    return rows.length
  })
}

/** Reserves slots of the rate for scheduled messages whose time has come. */
async function promoteScheduled(deps: ReleaseDeps, signal: AbortSignal): Promise<void> {
  const { clock, db } = deps
  for (;;) {
    const rows = await dueRows(db.read, 'scheduled', clock.now(), BATCH)
    for (const row of rows) {
      if (signal.aborted) return
      await promote(row, deps)
    }
    if (rows.length < BATCH) return
  }
}

async function promote(row: QueuedRow, { callbacks, clock, ledger }: ReleaseDeps): Promise<void> {
  const { sid, bucket, takesMicros, pair, capKey, capSegments } = row
  const now = clock.now()
  const cap =
    capKey === null || capSegments === null ? undefined : { key: capKey, segments: capSegments }
  await callbacks.commit(async (tx, enqueue) => {
    const message = await findMessage(tx, sid)
    // A server that looked at the same moment has already reserved a slot, which stays.
    if (message?.status === 'queued') return
    const scope = { tx, enqueue, ledger, now }
    const due = message && (await applyEvent(scope, message, { type: 'due' }))
    if (due === undefined) await leaveQueue(tx, sid)
    else {
      const { segments } = due
      await takeTurn(tx, sid, await turnOf(tx, { bucket, takesMicros, pair, cap, segments }, now))
    }
  })
}
