/** Lists the recordings of an account or call, newest first, in pages, from an index. */
import type { Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import {
  type CreatedRange,
  type KeysetPage,
  listOldestFirst,
} from '../../platform/database/oldest-first.js'
import { type RecordingRecord, toRecordingRecord } from './recording-record.js'

export interface RecordingFilter {
  readonly callSid?: string | undefined
  readonly conferenceSid?: string | undefined
  /** Earliest creation time, inclusive, epoch milliseconds; the end is exclusive. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
}

export async function listRecordings(
  read: Reader,
  accountSid: string,
  filter: RecordingFilter,
  request: PageRequest,
): Promise<Page<RecordingRecord>> {
  const matching = selectRecordings(read, accountSid, filter)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toRecordingRecord) }
}

function selectRecordings(read: Reader, accountSid: string, filter: RecordingFilter) {
  let query = read.selectFrom('recordings').selectAll().where('accountSid', '=', accountSid)
  if (filter.callSid !== undefined) query = query.where('callSid', '=', filter.callSid)
  if (filter.conferenceSid !== undefined)
    query = query.where('conferenceSid', '=', filter.conferenceSid)
  if (filter.createdFrom !== undefined) query = query.where('createdAt', '>=', filter.createdFrom)
  if (filter.createdBefore !== undefined)
    query = query.where('createdAt', '<', filter.createdBefore)
  return query
}

/** Returns a page of the account's recordings created in a time range, oldest first. */
export async function createdRecordings(
  read: Reader,
  accountSid: string,
  range: CreatedRange,
  page: KeysetPage,
): Promise<readonly RecordingRecord[]> {
  const matching = selectRecordings(read, accountSid, {})
  return (await listOldestFirst(matching, range, page)).map(toRecordingRecord)
}
