import type { Migration } from '../platform/database/migration.js'
import { accountsBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    account_links: AccountLinksTable
  }
}

/** `verify`: the address of a sign-up. `recover`: a new password. */
export type LinkPurpose = 'verify' | 'recover'

/** The links in mails that act for an account. A used one is kept, so that it is not made again. */
export interface AccountLinksTable {
  /** SHA-256 of the token in the link. */
  token_hash: string
  account_sid: string
  purpose: LinkPurpose
  created_at: number
  expires_at: number
  /** The time at which the link was used, or withdrawn. */
  used_at: number | null
}

export const accountLinksBaseline: Migration = {
  name: 'account-links/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table account_links (
  token_hash text primary key,
  account_sid text not null references accounts (sid),
  purpose text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
)${byKey};
create index account_links_by_account on account_links (account_sid, created_at);
create index account_links_by_end on account_links (expires_at);
`,
}
