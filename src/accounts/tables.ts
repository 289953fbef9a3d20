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
  friendlyName: string
  status: AccountStatus
  /** SHA-256 of the secret: finds the account of a Bearer key. */
  secretHash: string
  /** The secret, encrypted with AES-GCM: it can be shown once more and used to sign. */
  secretSealed: string
  /** SHA-256 of the secret before the last rotation, and the time until which it is valid. */
  formerSecretHash: Generated<string | null>
  formerSecretUntil: Generated<number | null>
  /** JSON array of ISO country codes; an empty one turns number validation off. */
  phoneRegions: string
  /** AccountSettings as JSON; its secrets are sealed. */
  settings: UrlsJsonColumn<never, undefined>
  /** Ten digits: the account's name in the account API. */
  username: string
  /** The password's scrypt hash; null until the account has a password. */
  passwordHash: string | null
  isAdministrator: 0 | 1
  /** The account that is billed; null for one that is billed itself. */
  masterSid: string | null
  email: string | null
  /** Mail address in lower case, by which password recovery finds the account. */
  emailFolded: string | null
  /** The code that a sign-up gave, for the operator. */
  promo: string | null
  /** An IANA time zone. */
  timezone: string
  /** 1 when a low balance is notified. */
  notify: 0 | 1
  /** The balance in dollars below which a notification is sent. */
  notifyThreshold: number
  callerId: string | null
  /** ServiceFlags as JSON. */
  services: string
  /** Authentication of SIP requests, 0 to 3. */
  authType: number
  /** The password of SIP digest, sealed. */
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
