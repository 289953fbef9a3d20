import type { Reader } from '../platform/database/database.js'

/** The account that pays for what an account does: its master, or itself. */
export async function billedAccount(read: Reader, accountSid: string): Promise<string> {
  const row = await read
    .selectFrom('accounts')
    .select('master_sid')
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return row?.master_sid ?? accountSid
}
