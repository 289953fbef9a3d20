import type { Reader } from '../platform/database/database.js'

/** The account that pays for another account's usage: its master, or itself. */
export async function billedAccount(read: Reader, accountSid: string): Promise<string> {
  const row = await read
    .selectFrom('accounts')
    .select('masterSid')
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return row?.masterSid ?? accountSid
}

/** Usernames of the open accounts that an account pays for, sorted; at most 10. */
export async function accountsPaidBy(read: Reader, sid: string): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('accounts')
    .select('username')
    .where('masterSid', '=', sid)
    .where('sid', '<>', sid)
    .where('status', '<>', 'closed')
    .orderBy('username')
    .limit(10)
    .execute()
  return rows.map(({ username }) => username)
}
