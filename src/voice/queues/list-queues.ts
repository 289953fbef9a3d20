/** The queues of an account, newest first, a page at a time from an index. */
import type { Reader } from '../../platform/database/database.js'
import { type QueueRecord, toQueueRecord } from './queue-record.js'

export interface QueuePageRequest {
  readonly limit: number
  /** For when there is no cursor, or its queue has been deleted meanwhile. */
  readonly offset: number
  readonly cursor?: { readonly side: 'after' | 'before'; readonly sid: string } | undefined
}

export interface QueuePage {
  readonly queues: readonly QueueRecord[]
  readonly total: number
  readonly nextAfter: string | undefined
}

export async function listQueues(
  read: Reader,
  accountSid: string,
  page: QueuePageRequest,
): Promise<QueuePage> {
  const cursor = await findCursor(read, accountSid, page.cursor)
  const order = cursor?.side === 'before' ? 'asc' : 'desc'
  let query = read.selectFrom('queues').selectAll().where('account_sid', '=', accountSid)
  if (cursor !== undefined)
    query = query.where((e) =>
      e(
        e.refTuple('created_at', 'sid'),
        cursor.side === 'after' ? '<' : '>',
        e.tuple(cursor.createdAt, cursor.sid),
      ),
    )
  const rows = await query
    .orderBy('created_at', order)
    .orderBy('sid', order)
    .limit(page.limit + 1)
    .offset(cursor === undefined ? page.offset : 0)
    .execute()
  const shown = rows.slice(0, page.limit).map(toQueueRecord)
  if (order === 'asc') shown.reverse()
  const hasMore = order === 'asc' || rows.length > page.limit
  const { total } = await read
    .selectFrom('queues')
    .where('account_sid', '=', accountSid)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { queues: shown, total, nextAfter: hasMore ? shown.at(-1)?.sid : undefined }
}

async function findCursor(read: Reader, accountSid: string, wanted: QueuePageRequest['cursor']) {
  if (wanted === undefined) return undefined
  const row = await read
    .selectFrom('queues')
    .select('created_at')
    .where('sid', '=', wanted.sid)
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : { ...wanted, createdAt: row.created_at }
}
