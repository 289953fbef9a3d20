/** Lists the queues of an account. */
import type { Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { type QueueRecord, toQueueRecord } from './queue-record.js'

export async function listQueues(
  read: Reader,
  accountSid: string,
  request: PageRequest,
): Promise<Page<QueueRecord>> {
  const matching = read.selectFrom('queues').selectAll().where('account_sid', '=', accountSid)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toQueueRecord) }
}
