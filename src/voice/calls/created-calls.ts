import type { Reader } from '../../platform/database/database.js'
import {
  type CreatedRange,
  type KeysetPage,
  listOldestFirst,
} from '../../platform/database/oldest-first.js'
import { type CallRecord, toCallRecord } from '../model/call-record.js'

/** Some calls of the account that were created in a range of time, the oldest first. */
export async function createdCalls(
  read: Reader,
  accountSid: string,
  range: CreatedRange,
  page: KeysetPage,
): Promise<readonly CallRecord[]> {
  const matching = read.selectFrom('calls').selectAll().where('account_sid', '=', accountSid)
  return (await listOldestFirst(matching, range, page)).map(toCallRecord)
}
