import type { Reader, Writer } from '../platform/database/database.js'
import { DomainError } from '../platform/errors.js'
import type { AccountStatus } from './tables.js'

/** The account is closed, which is final. */
export class AccountClosedError extends DomainError {
  override readonly name = 'AccountClosedError'
  readonly code = 'account-closed'
}

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

/**
 * Throws AccountClosedError for a closed account: a request that was admitted before may still run, and nothing
 * would release what it claims.
 */
export async function refuseClosedAccount(tx: Writer, sid: string): Promise<void> {
  if ((await statusOfAccount(tx, sid)) === 'closed')
    throw new AccountClosedError(`the account ${sid} is closed`)
}
