import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    accounts: AccountsTable
  }
}

export interface AccountsTable {
  sid: string
  friendly_name: string
  status: 'active' | 'suspended' | 'closed'
  /** SHA-256 of the secret, for looking up a Bearer key. */
  secret_hash: string
  /** AES-GCM: it must be returned and used to sign. */
  secret_sealed: string
  /** ISO country codes, JSON array; empty disables number validation. */
  phone_regions: string
  /** AccountSettings as JSON, its secrets sealed. */
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
  phone_regions text not null,
  created_at bigint not null,
  updated_at bigint not null,
  settings text not null default '{}'
);
`,
}
