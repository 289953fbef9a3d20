import type { Migration } from '../platform/database/migration.js'
import { accountsBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    account_keys: AccountKeysTable
  }
}

export interface AccountKeysTable {
  sid: string
  account_sid: string
  friendly_name: string
  /** SHA-256 of the secret, which nobody can read again. */
  secret_hash: string
  created_at: number
  updated_at: number
}

export const accountKeysBaseline: Migration = {
  name: 'account-keys/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table account_keys (
  sid text primary key,
  account_sid text not null references accounts (sid),
  friendly_name text not null,
  secret_hash text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index account_keys_by_account on account_keys (account_sid, created_at desc, sid desc);
`,
}
