import type { Migration } from '../platform/database/migration.js'
import { accountsBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    account_acl: AccountAclTable
  }
}

/** Source addresses from which an account's SIP requests are admitted. */
export interface AccountAclTable {
  accountSid: string
  /** A public IPv4 range, such as `203.0.113.0/24`. */
  cidr: string
  createdAt: number
}

export const accountAclBaseline: Migration = {
  name: 'account-acl/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table account_acl (
  "accountSid" text not null references accounts (sid),
  cidr text not null,
  "createdAt" bigint not null,
  primary key ("accountSid", cidr)
)${byKey};
create index account_acl_by_cidr on account_acl (cidr);
`,
}
