import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    accounts: AccountsTable
  }
}

/** `suspended`: disabled by the operator. `closed`: deleted, which is final. */
export type AccountStatus = 'active' | 'suspended' | 'closed'

export interface AccountsTable {
  sid: string
  friendly_name: string
  status: AccountStatus
  /** SHA-256 of the secret: finds the account of a Bearer key. */
  secret_hash: string
  /** The secret, encrypted with AES-GCM: it can be shown once more and used to sign. */
  secret_sealed: string
  /** SHA-256 of the secret before the last rotation, and the time until which it is valid. */
  former_secret_hash: Generated<string | null>
  former_secret_until: Generated<number | null>
  /** JSON array of ISO country codes; an empty one turns number validation off. */
  phone_regions: string
  /** AccountSettings as JSON; its secrets are sealed. */
  settings: Generated<string>
  created_at: number
  updated_at: number
}

export const accountsBaseline: Migration = {
  name: 'accounts/1-baseline',
  statements: () => `
create table accounts (
  sid text primary key,
  friendly_name text not null,
  status text not null,
  secret_hash text not null unique,
  secret_sealed text not null,
  former_secret_hash text,
  former_secret_until bigint,
  phone_regions text not null,
  created_at bigint not null,
  updated_at bigint not null,
  settings text not null default '{}'
);
create index accounts_by_age on accounts (created_at desc, sid desc);
create index accounts_by_former_secret on accounts (former_secret_hash)
  where former_secret_hash is not null;
`,
}
