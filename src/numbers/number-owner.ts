import { billedAccount } from '../accounts/billed-account.js'
import type { Reader } from '../platform/database/database.js'
import { findHeldNumber } from './held-numbers.js'

/** True when the account, or one of its sub-accounts, holds the number, or nobody here does. */
export async function isFreeOrTheirs(
  read: Reader,
  accountSid: string | undefined,
  e164: string,
): Promise<boolean> {
  const holder = (await findHeldNumber(read, e164))?.accountSid
  return (
    holder === undefined ||
    holder === accountSid ||
    (await billedAccount(read, holder)) === accountSid
  )
}
