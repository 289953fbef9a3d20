import type { Reader } from '../database/database.js'
import { PENDING } from './outbox-marks.js'

/** Maximum number of items that one reading counts: a backlog of millions must not stop the process. */
const MAX_COUNTED = 10_000

/** What waits for its delivery in one channel of the outbox. */
export interface ChannelQueue {
  readonly channel: string
  /** Number of streams with an item to deliver; all channels together count at most 10,000. */
  readonly pending: number
  /** Age of the oldest of these items, ms; 0 when there is none. */
  readonly oldestMs: number
}

/** Reads the queue of each channel, the empty ones too. */
export async function readQueues(
  read: Reader,
  channels: readonly string[],
  now: number,
): Promise<readonly ChannelQueue[]> {
  const rows = await read
    .selectFrom((pending) =>
      pending
        .selectFrom('outbox')
        .select(['channel', 'createdAt'])
        .where('state', '=', PENDING)
        .limit(MAX_COUNTED)
        .as('counted'),
    )
    .select((each) => [
      'channel',
      each.fn.countAll<number>().as('pending'),
      each.fn.min<number>('createdAt').as('oldest'),
    ])
    .groupBy('channel')
    .execute()
  const found = new Map(rows.map((row) => [row.channel, row]))
  return channels.map((channel) => {
    const { pending = 0, oldest = now } = found.get(channel) ?? {}
    return { channel, pending, oldestMs: Math.max(0, now - oldest) }
  })
}
