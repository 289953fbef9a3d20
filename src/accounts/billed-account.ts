import type { Reader } from '../platform/database/database.js'

/** The account that pays for what an account does: its master, or itself. */
export function billedAccount(_read: Reader, accountSid: string): Promise<string> {
  return Promise.resolve(accountSid)
}
