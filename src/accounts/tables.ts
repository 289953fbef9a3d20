import type { Migration } from '../platform/database/migration.js'
import type { Generated, UrlsJsonColumn } from '../platform/database/tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    accounts: AccountsTable
  }
}

/**
 * `unverified`: signed up, mail not confirmed yet. `suspended`: disabled by the operator. `closed`: deleted,
 * final.
 */
export type AccountStatus = 'active' | 'suspended' | 'closed' | 'unverified'

export interface AccountsTable {
  sid: string
  friendlyName: string
  status: AccountStatus
  /** SHA-256 of the secret, for lookups by Bearer key. */
  secretHash: string
  /** The secret, encrypted with AES-GCM: it can be shown again and signs webhooks. */
  secretSealed: string
  /** SHA-256 of the secret before the last rotation, and when it expires. */
  formerSecretHash: Generated<string | null>
  formerSecretUntil: Generated<number | null>
  /** JSON array of ISO country codes; empty: no number validation. */
  phoneRegions: string
  /** AccountSettings as JSON with sealed secrets. */
  settings: UrlsJsonColumn<never, undefined>
  /** The account's name in the account API: ten digits. */
  username: string
  /** Scrypt hash of the password; null for an account without one. */
  passwordHash: string | null
  isAdministrator: 0 | 1
  /** The master account, which pays; null for an account that pays itself. */
  masterSid: string | null
  email: string | null
  /** Mail address in lower case, for password recovery. */
  emailFolded: string | null
  /** Promotion code from the sign-up, for the operator. */
  promo: string | null
  /** An IANA time zone. */
  timezone: string
  /** 1 when low-balance notifications are sent. */
  notify: 0 | 1
  /** Low-balance threshold, dollars. */
  notifyThreshold: number
  callerId: string | null
  /** ServiceFlags as JSON. */
  services: string
  /** Authentication of SIP requests, 0 to 3. */
  authType: number
  /** The SIP digest password, sealed. */
  sipPasswordSealed: string | null
  createdAt: number
  updatedAt: number
}

export const accountsBaseline: Migration = {
  name: 'accounts/1-baseline',
  statements: () => `
create table accounts (
  sid text primary key,
  "friendlyName" text not null,
  status text not null,
  "secretHash" text not null unique,
  "secretSealed" text not null,
  "formerSecretHash" text,
  "formerSecretUntil" bigint,
  "phoneRegions" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  settings text not null default '{}',
  username text not null unique,
  "passwordHash" text,
  "isAdministrator" integer not null,
  "masterSid" text references accounts (sid),
  email text,
  "emailFolded" text,
  promo text,
  timezone text not null,
  notify integer not null,
  "notifyThreshold" integer not null,
  "callerId" text,
  services text not null,
  "authType" integer not null,
  "sipPasswordSealed" text
);
create index accounts_by_email on accounts ("emailFolded") where "emailFolded" is not null;
create index accounts_unverified on accounts ("createdAt") where status = 'unverified';
create index accounts_by_age on accounts ("createdAt" desc, sid desc);
create index accounts_with_sip_password on accounts (sid) where "sipPasswordSealed" is not null;
create index accounts_by_former_secret on accounts ("formerSecretHash")
  where "formerSecretHash" is not null;
`,
}
