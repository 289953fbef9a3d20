/** The rooms of an account, newest first, a page at a time, from an index. */
import type { Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { type ConferenceRecord, toConferenceRecord } from './conference-record.js'

export interface ConferenceFilter {
  readonly friendlyName?: string | undefined
  readonly status?: ConferenceRecord['status'] | undefined
  /**
   * The start of the creation time, included; epoch milliseconds. The end of each range is not
   * included.
   */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  readonly updatedFrom?: number | undefined
  readonly updatedBefore?: number | undefined
}

export async function listConferences(
  read: Reader,
  accountSid: string,
  filter: ConferenceFilter,
  request: PageRequest,
): Promise<Page<ConferenceRecord>> {
  const matching = selectConferences(read, accountSid, filter)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toConferenceRecord) }
}

function selectConferences(read: Reader, accountSid: string, filter: ConferenceFilter) {
  const { friendlyName, status, createdFrom, createdBefore, updatedFrom, updatedBefore } = filter
  let query = read.selectFrom('conferences').selectAll().where('accountSid', '=', accountSid)
  if (friendlyName !== undefined) query = query.where('friendlyName', '=', friendlyName)
  if (status !== undefined) query = query.where('status', '=', status)
  if (createdFrom !== undefined) query = query.where('createdAt', '>=', createdFrom)
  if (createdBefore !== undefined) query = query.where('createdAt', '<', createdBefore)
  if (updatedFrom !== undefined) query = query.where('updatedAt', '>=', updatedFrom)
  if (updatedBefore !== undefined) query = query.where('updatedAt', '<', updatedBefore)
  return query
}
