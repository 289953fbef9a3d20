/** Authentication of an account's SIP requests: its digest password, and the required checks. */
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { Vault } from '../platform/secrets.js'
import type { AuthType } from './account-profile.js'
import type { Accounts } from './accounts.js'

export const AUTH_TYPES: readonly AuthType[] = [0, 1, 2, 3]

export const AUTH_TYPE_DESCRIPTIONS: Readonly<Record<AuthType, string>> = {
  0: 'Digest only',
  1: 'IP allowlist only',
  2: 'Digest or IP allowlist',
  3: 'Digest and IP allowlist',
}

/** 6 to 10 letters and digits, at least one of each. */
const SIP_PASSWORD = /^(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{6,10}$/

export function isSipPassword(text: string): boolean {
  return SIP_PASSWORD.test(text)
}

export interface SipAuthenticationChange {
  /** A password that satisfies `isSipPassword`. */
  readonly password: string | undefined
  readonly authType: AuthType | undefined
}

export interface SipAuthentication {
  update(accountSid: string, change: SipAuthenticationChange): Promise<void>
  /** Resolves with the digest password; undefined when none is set. */
  passwordOf(accountSid: string): Promise<string | undefined>
  /**
   * True when any account has a digest password. The first one set on another node is seen after a few seconds.
   */
  hasPasswords(): Promise<boolean>
}

/** Cache time of `hasPasswords`, ms. */
const KEPT_MS = 2_000

export function createSipAuthentication({
  db,
  vault,
  accounts,
  clock,
}: {
  readonly db: Database
  readonly vault: Vault
  readonly accounts: Pick<Accounts, 'update'>
  readonly clock: Pick<Clock, 'monotonic'>
}): SipAuthentication {
  let known: { readonly hasPasswords: boolean; readonly until: number } | undefined
  return {
    update: async (accountSid, { password, authType }) => {
      const sealed = password === undefined ? undefined : vault.seal(password)
      await db.inOneCommit(async (tx) => {
        if (authType !== undefined) await accounts.update(accountSid, { profile: { authType } })
        if (sealed === undefined) return
        await tx
          .updateTable('accounts')
          .set({ sipPasswordSealed: sealed })
          .where('sid', '=', accountSid)
          .execute()
      })
      known = undefined
    },
    passwordOf: async (accountSid) => {
      const row = await db.read
        .selectFrom('accounts')
        .select('sipPasswordSealed')
        .where('sid', '=', accountSid)
        .executeTakeFirst()
      const sealed = row?.sipPasswordSealed ?? undefined
      return sealed === undefined ? undefined : vault.open(sealed)
    },
    hasPasswords: async () => {
      if (known !== undefined && known.until > clock.monotonic()) return known.hasPasswords
      const row = await db.read
        .selectFrom('accounts')
        .select('sid')
        .where('sipPasswordSealed', 'is not', null)
        .limit(1)
        .executeTakeFirst()
      known = { hasPasswords: row !== undefined, until: clock.monotonic() + KEPT_MS }
      return known.hasPasswords
    },
  }
}
