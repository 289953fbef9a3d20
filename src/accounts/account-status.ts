import type { Reader } from '../platform/database/database.js'
import type { AccountStatus } from './tables.js'

/** The status of an account; undefined for an unknown one. */
export async function statusOfAccount(
  read: Reader,
  sid: string,
): Promise<AccountStatus | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select('status')
    .where('sid', '=', sid)
    .executeTakeFirst()
  return row?.status
}
