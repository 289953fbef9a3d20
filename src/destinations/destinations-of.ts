import type { Accounts } from '../accounts/accounts.js'
import { InvariantError } from '../platform/errors.js'
import { type DestinationRules, destinationRulesOf } from './destination-rules.js'

/** Resolves with an account's destination rules. */
export type DestinationsOf = (accountSid: string) => Promise<DestinationRules>

export function createDestinationsOf(
  accounts: Pick<Accounts, 'find'>,
  blockedPrefixes: readonly string[],
): DestinationsOf {
  return async (accountSid) => {
    const account = await accounts.find(accountSid)
    if (account === undefined) throw new InvariantError(`account ${accountSid} has gone`)
    return destinationRulesOf(account, blockedPrefixes)
  }
}
