import type { AccountKeys } from '../accounts/account-keys.js'
import type { Account, Accounts } from '../accounts/accounts.js'
import { endChargesOf } from '../ledger/recurring-charges.js'
import type { Clock } from '../platform/clock.js'
import { refuseWhilePorting } from '../porting/porting-accounts.js'
import type { NumberBindings } from '../voice/applications/number-bindings.js'
import type { CallerIds } from '../voice/caller-ids/caller-ids.js'
import type { Calls } from '../voice/calls/calls.js'
import type { SipResources } from '../voice/sip-domains/sip-resources.js'

export interface AccountLifeDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly accounts: Accounts
  readonly accountKeys: Pick<AccountKeys, 'removeAllOf'>
  readonly numbers: Pick<NumberBindings, 'releaseAllOf'>
  readonly callerIds: Pick<CallerIds, 'removeAllOf'>
  readonly calls: Pick<Calls, 'endAllOf'>
  readonly sip: { readonly domains: Pick<SipResources['domains'], 'list' | 'remove'> }
}

/** An operator's actions on an account. Each method resolves with undefined for an unknown account. */
export interface AccountLife {
  /**
   * Refuses the account's requests and incoming calls, and ends its live and queued calls. Pending callbacks
   * are still delivered.
   */
  disable(sid: string): Promise<Account | undefined>
  enable(sid: string): Promise<Account | undefined>
  /**
   * Disables the account permanently: its credentials become invalid, its monthly charges end, and its numbers,
   * SIP domains, keys and caller IDs are released. Its records stay until their retention ends. A repeated
   * request completes an interrupted one. Rejects with NumberPortingError, changing nothing, while a number of
   * the account is being ported.
   */
  close(sid: string): Promise<Account | undefined>
}

export function createAccountLife(deps: AccountLifeDeps): AccountLife {
  const { clock, accounts, accountKeys, numbers, callerIds, calls, sip } = deps
  return {
    disable: async (sid) => {
      const account = await accounts.setStatus(sid, 'suspended')
      if (account !== undefined) calls.endAllOf(account.sid)
      return account
    },
    enable: (sid) => accounts.setStatus(sid, 'active'),
    close: async (sid) => {
      const now = clock.now()
      const account = await accounts.setStatus(sid, 'closed', async (tx, closed) => {
        await refuseWhilePorting(tx, closed)
        await endChargesOf(tx, closed.sid, now)
      })
      if (account === undefined) return undefined
      calls.endAllOf(account.sid)
      await accountKeys.removeAllOf(account.sid)
      await numbers.releaseAllOf(account.sid)
      await callerIds.removeAllOf(account.sid)
      await removeDomainsOf(account.sid, sip.domains)
      return account
    },
  }
}

/** Page size for domains: the maximum number that an account may have. */
const MAX_DOMAINS = 1_000

/** Deletes the SIP domains of an account, subdomains first, as deletion requires. */
async function removeDomainsOf(
  accountSid: string,
  domains: AccountLifeDeps['sip']['domains'],
): Promise<void> {
  const { items } = await domains.list(accountSid, {}, { offset: 0, limit: MAX_DOMAINS })
  const deepestFirst = [...items].sort((a, b) => b.domainName.length - a.domainName.length)
  for (const { sid } of deepestFirst) await domains.remove(accountSid, sid)
}
