import type { Migration } from '../platform/database/migration.js'
import { accountsBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    account_links: AccountLinksTable
  }
}

/** `verify`: confirms the address of a sign-up. `recover`: sets a new password. */
export type LinkPurpose = 'verify' | 'recover'

/**
 * Links in mails that act for an account. A used link stays stored until it is old, so that a resent mail does
 * not renew it.
 */
export interface AccountLinksTable {
  /** SHA-256 of the token in the link. */
  tokenHash: string
  accountSid: string
  purpose: LinkPurpose
  createdAt: number
  expiresAt: number
  /** Time at which the link was used or withdrawn. */
  usedAt: number | null
}

export const accountLinksBaseline: Migration = {
  name: 'account-links/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table account_links (
  "tokenHash" text primary key,
  "accountSid" text not null references accounts (sid),
  purpose text not null,
  "createdAt" bigint not null,
  "expiresAt" bigint not null,
  "usedAt" bigint
)${byKey};
create index account_links_by_account on account_links ("accountSid", "createdAt");
create index account_links_by_end on account_links ("expiresAt");
`,
}
