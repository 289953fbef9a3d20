import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    sip_bindings: SipBindingsTable
    sip_nonce_counts: SipNonceCountsTable
    sip_signing_keys: SipSigningKeysTable
  }
}

/** The contacts of registered users, one row each. */
export interface SipBindingsTable {
  sid: string
  accountSid: string
  domainSid: string
  username: string
  /**
   * Key of the binding: instance and reg-id (RFC 5626), or else the contact's URI. A contact
   * replaces the binding with the same key.
   */
  bindingKey: string
  contactUri: string
  /** The q value in thousandths. */
  q: number
  instanceId: string | null
  regId: number | null
  userAgent: string | null
  callId: string
  cseq: number
  /** Source address of the REGISTER; requests to the contact are sent there. */
  sourceAddress: string
  sourcePort: number
  transport: string
  /** 1 when OPTIONS must keep its path open, because of a NAT or a connection. */
  isProbed: number
  /** When OPTIONS were first unanswered; null while the contact answers. */
  silentSince: number | null
  /** The drachtio server through which the contact is reachable. */
  server: string
  expiresAt: number
  createdAt: number
  updatedAt: number
}

/** The highest count used with each nonce (RFC 7616 §3.4.3). */
export interface SipNonceCountsTable {
  nonce: string
  used: number
  expiresAt: number
}

/** The key that signs nonces, shared by every process on this database. */
export interface SipSigningKeysTable {
  name: string
  keySealed: string
}

export const registrarBaseline: Migration = {
  name: 'registrar/1-baseline',
  statements: ({ byKey }) => `
create table sip_bindings (
  sid text not null,
  "accountSid" text not null,
  "domainSid" text not null,
  username text not null,
  "bindingKey" text not null,
  "contactUri" text not null,
  q integer not null,
  "instanceId" text,
  "regId" integer,
  "userAgent" text,
  "callId" text not null,
  cseq bigint not null,
  "sourceAddress" text not null,
  "sourcePort" integer not null,
  transport text not null,
  "isProbed" integer not null,
  "silentSince" bigint,
  server text not null,
  "expiresAt" bigint not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  primary key ("domainSid", username, "bindingKey")
)${byKey};
create unique index sip_bindings_by_sid on sip_bindings (sid);
create index sip_bindings_by_user on sip_bindings ("accountSid", username);
create index sip_bindings_by_domain on sip_bindings ("domainSid", "createdAt" desc, sid desc);
create index sip_bindings_probed on sip_bindings (sid) where "isProbed" = 1;
create table sip_nonce_counts (
  nonce text primary key,
  used bigint not null,
  "expiresAt" bigint not null
)${byKey};
create table sip_signing_keys (
  name text primary key,
  "keySealed" text not null
)${byKey};
`,
}
