import type { Migration } from '../platform/database/migration.js'
import type { Generated, UrlsJsonColumn } from '../platform/database/tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    accounts: AccountsTable
  }
}

/**
 * `unverified`: signed up, and the mail is not answered yet. `suspended`: disabled by the operator.
 * `closed`: deleted, which is final.
 */
export type AccountStatus = 'active' | 'suspended' | 'closed' | 'unverified'

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
  settings: UrlsJsonColumn<never, undefined>
  /** Ten digits: the account's name in the account API. */
  username: string
  /** The password's scrypt hash; null until the account has a password. */
  password_hash: string | null
  is_administrator: 0 | 1
  /** The account that is billed; null for one that is billed itself. */
  master_sid: string | null
  email: string | null
  /** The address in lower case, by which recovery finds the account. */
  email_folded: string | null
  /** The code that a sign-up gave, for the operator. */
  promo: string | null
  /** An IANA time zone. */
  timezone: string
  /** 1 when a low balance is notified. */
  notify: 0 | 1
  /** The balance in dollars below which a notification is sent. */
  notify_threshold: number
  caller_id: string | null
  /** ServiceFlags as JSON. */
  services: string
  /** The way in which SIP requests are authenticated, 0 to 3. */
  auth_type: number
  /** The password of SIP digest, sealed. */
  sip_password_sealed: string | null
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
  settings text not null default '{}',
  username text not null unique,
  password_hash text,
  is_administrator integer not null,
  master_sid text references accounts (sid),
  email text,
  email_folded text,
  promo text,
  timezone text not null,
  notify integer not null,
  notify_threshold integer not null,
  caller_id text,
  services text not null,
  auth_type integer not null,
  sip_password_sealed text
);
create index accounts_by_email on accounts (email_folded) where email_folded is not null;
create index accounts_unverified on accounts (created_at) where status = 'unverified';
create index accounts_by_age on accounts (created_at desc, sid desc);
create index accounts_with_sip_password on accounts (sid) where sip_password_sealed is not null;
create index accounts_by_former_secret on accounts (former_secret_hash)
  where former_secret_hash is not null;
`,
}
