/** Finds the account whose own equipment sent an INVITE: by address, by digest, or by both. */
import type { AccessLists, ListedAccount } from '../../../accounts/access-lists.js'
import type { AuthType } from '../../../accounts/account-profile.js'
import type { Account, Accounts } from '../../../accounts/accounts.js'
import type { SipAuthentication } from '../../../accounts/sip-authentication.js'
import { warning } from '../../registrar/warning.js'
import type { HoldsCallerId } from '../../routing/caller-id-policy.js'
import type { IncomingInvite } from '../../telephony/port.js'
import {
  askedOfInvite,
  type Caller,
  checkDigest,
  type DigestDeps,
  forbidden,
} from './check-digest.js'

export interface TrunkAccountDeps extends DigestDeps {
  readonly accounts: Pick<Accounts, 'find' | 'findByUsername'>
  readonly accessLists: Pick<AccessLists, 'accountsAt'>
  readonly sipAuthentication: Pick<SipAuthentication, 'hasPasswords'>
  readonly holdsCallerId: HoldsCallerId
}

export type TrunkSender =
  | { readonly type: 'account'; readonly account: Account; readonly username: string | undefined }
  /** The address is on no access list, and no account has a password to challenge for. */
  | { readonly type: 'stranger' }
  | Exclude<Caller, { readonly type: 'known' }>

/** The `authType` values with which the address alone, or digest from any address, admits a call. */
const BY_ADDRESS: readonly AuthType[] = [1, 2]
const BY_DIGEST: readonly AuthType[] = [0, 2]

/** `caller` is the number that the call shows, if any. */
export async function trunkSender(
  invite: IncomingInvite,
  caller: string | undefined,
  deps: TrunkAccountDeps,
): Promise<TrunkSender> {
  const { address } = invite.source
  const listed = await deps.accessLists.accountsAt(address)
  const byAddress = await accountByAddress(listed, caller, deps)
  if (byAddress !== undefined) return { type: 'account', account: byAddress, username: undefined }
  if (!(await deps.sipAuthentication.hasPasswords())) return { type: 'stranger' }
  const verdict = await checkDigest(askedOfInvite(invite), { type: 'accounts' }, deps)
  if (verdict.type !== 'known') return verdict
  const { username = '' } = verdict
  const account = await deps.accounts.findByUsername(username)
  if (account?.status !== 'active')
    return { ...forbidden(), why: 'the account of the user name is not active' }
  const { authType } = account.profile
  const isListed = listed.some(({ accountSid }) => accountSid === account.sid)
  if (BY_DIGEST.includes(authType) || (authType === 3 && isListed))
    return { type: 'account', account, username }
  return {
    ...forbidden(warning(32201, 'the address is not on the access list of the account')),
    why: `the authType ${String(authType)} of the account does not admit digest from this address`,
    accountSid: account.sid,
  }
}

/**
 * Returns the account with the narrowest range around the address. Among several candidates the one that
 * holds the caller's number wins, so that nobody can take over another account's calls by listing the same
 * address.
 */
async function accountByAddress(
  listed: readonly ListedAccount[],
  caller: string | undefined,
  { accounts, holdsCallerId }: TrunkAccountDeps,
): Promise<Account | undefined> {
  const candidates: { readonly account: Account; readonly bits: number }[] = []
  for (const { accountSid, bits } of listed) {
    const account = await accounts.find(accountSid)
    if (account?.status === 'active' && BY_ADDRESS.includes(account.profile.authType))
      candidates.push({ account, bits })
  }
  const [first, ...others] = candidates
  if (first === undefined || others.length === 0) return first?.account
  for (const { account } of candidates)
    if (caller !== undefined && (await holdsCallerId(account.sid, caller))) return account
  return others.some(({ bits }) => bits === first.bits) ? undefined : first.account
}
