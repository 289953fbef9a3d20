import { writeFileSync } from 'node:fs'
import type { Account, Accounts } from './accounts.js'

/**
 * Makes one account in a fresh installation, so that the first call needs no administration. Its
 * credentials are kept in `file` and returned once, for the terminal.
 */
export async function ensureFirstAccount(
  accounts: Accounts,
  wanted: { sid: string | undefined; token: string | undefined },
  file: string,
): Promise<Account | undefined> {
  if ((await accounts.count()) > 0) return undefined
  const account = await accounts.create({
    friendlyName: 'First account',
    ...(wanted.sid === undefined ? {} : { sid: wanted.sid }),
    ...(wanted.token === undefined ? {} : { secret: wanted.token }),
  })
  const text = `${JSON.stringify({ accountSid: account.sid, authToken: account.secret }, null, 2)}\n`
  writeFileSync(file, text, { mode: 0o600 })
  return account
}
