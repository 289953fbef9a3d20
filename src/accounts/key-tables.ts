import type { Migration } from '../platform/database/migration.js'
import { accountsBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    account_keys: AccountKeysTable
  }
}

export interface AccountKeysTable {
  sid: string
  accountSid: string
  friendlyName: string
  /** SHA-256 of the secret, which cannot be recovered. */
  secretHash: string
  createdAt: number
  updatedAt: number
}

export const accountKeysBaseline: Migration = {
  name: 'account-keys/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table account_keys (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "friendlyName" text not null,
  "secretHash" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index account_keys_by_account on account_keys ("accountSid", "createdAt" desc, sid desc);
`,
}
