import type { Reader } from '../platform/database/database.js'

/** The balance in dollars below which an account is notified; undefined when that is off. */
export async function lowBalanceThreshold(
  read: Reader,
  accountSid: string,
): Promise<number | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select(['notify', 'notify_threshold'])
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return row?.notify === 1 ? row.notify_threshold : undefined
}
