import { UNCLAIMED } from '../database/claims.js'
import type { Writer } from '../database/database.js'
import { DEAD, freeNext, PENDING, WAITING } from './outbox-marks.js'

/** Makes the row at the head of a stream due now. */
export async function makeStreamDue(tx: Writer, stream: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ nextAttemptAt: now })
    .where('stream', '=', stream)
    .where('state', '=', PENDING)
    .where('nextAttemptAt', '>', now)
    .execute()
}

/**
 * Returns the given-up rows of a stream to it with fresh attempts, in their old order and before newer rows. A
 * row that is being delivered stays first. Resolves with their number.
 */
export async function replayDead(tx: Writer, stream: string, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('outbox')
    .set({ state: 'waiting', attempts: 0, nextAttemptAt: now, createdAt: now })
    .where('stream', '=', stream)
    .where('state', '=', DEAD)
    .executeTakeFirst()
  await freeNext(tx, stream)
  return Number(numUpdatedRows)
}

/** Gives up every undelivered row of a stream; a row in progress may still arrive. */
export async function dropStream(tx: Writer, stream: string): Promise<void> {
  for (const state of [PENDING, WAITING])
    await tx
      .updateTable('outbox')
      .set({ state: 'dropped' })
      .where('stream', '=', stream)
      .where('state', '=', state)
      .execute()
}

/** Brings every retry of a channel forward. */
export async function bringChannelForward(
  tx: Writer,
  channel: string,
  byMs: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set((each) => ({ nextAttemptAt: each('nextAttemptAt', '-', byMs) }))
    .where('channel', '=', channel)
    .where('state', 'in', ['pending', 'waiting'])
    .execute()
}

/** Releases the claims of a dead node, so that other nodes deliver its rows at once. */
export async function releaseClaims(tx: Writer, node: string): Promise<void> {
  await tx
    .updateTable('outbox')
    .set(UNCLAIMED)
    .where('state', '=', PENDING)
    .where('claimedBy', '=', node)
    .execute()
}
