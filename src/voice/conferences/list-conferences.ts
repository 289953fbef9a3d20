/** Lists the rooms of an account, newest first, in pages, from an index. */
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
  /** Ranges in epoch milliseconds: `…From` is included, `…Before` is not. */
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
