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
  account_sid: string
  domain_sid: string
  username: string
  /** What replaces the same binding: the instance and reg-id (RFC 5626), else the contact's URI. */
  binding_key: string
  contact_uri: string
  /** The preference in thousandths. */
  q: number
  instance_id: string | null
  reg_id: number | null
  user_agent: string | null
  call_id: string
  cseq: number
  /** The network address that the REGISTER came from: requests to the contact go there. */
  source_address: string
  source_port: number
  transport: string
  /** 1 when the way to it must be kept open by OPTIONS: it leads through a NAT or a connection. */
  is_probed: number
  /** The time of the first OPTIONS without an answer since the last one with; null: it answers. */
  silent_since: number | null
  /** The drachtio server that the contact can be reached through. */
  server: string
  expires_at: number
  created_at: number
  updated_at: number
}

/** The highest count used with each nonce (RFC 7616 §3.4.3). */
export interface SipNonceCountsTable {
  nonce: string
  used: number
  expires_at: number
}

/** The key that signs nonces, for every process on this database. */
export interface SipSigningKeysTable {
  name: string
  key_sealed: string
}

export const registrarBaseline: Migration = {
  name: 'registrar/1-baseline',
  statements: ({ byKey }) => `
create table sip_bindings (
  sid text not null,
  account_sid text not null,
  domain_sid text not null,
  username text not null,
  binding_key text not null,
  contact_uri text not null,
  q integer not null,
  instance_id text,
  reg_id integer,
  user_agent text,
  call_id text not null,
  cseq bigint not null,
  source_address text not null,
  source_port integer not null,
  transport text not null,
  is_probed integer not null,
  silent_since bigint,
  server text not null,
  expires_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (domain_sid, username, binding_key)
)${byKey};
create unique index sip_bindings_by_sid on sip_bindings (sid);
create index sip_bindings_by_user on sip_bindings (account_sid, username);
create index sip_bindings_by_domain on sip_bindings (domain_sid, created_at desc, sid desc);
create index sip_bindings_probed on sip_bindings (sid) where is_probed = 1;
create table sip_nonce_counts (
  nonce text primary key,
  used bigint not null,
  expires_at bigint not null
)${byKey};
create table sip_signing_keys (
  name text primary key,
  key_sealed text not null
)${byKey};
`,
}
