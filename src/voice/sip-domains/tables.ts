import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    sip_domains: SipDomainsTable
    sip_lists: SipListsTable
    sip_credentials: SipCredentialsTable
    sip_addresses: SipAddressesTable
    sip_domain_mappings: SipDomainMappingsTable
  }
}

export interface SipDomainsTable {
  sid: string
  account_sid: string
  /** The host name in lower case, unique over all accounts. */
  domain_name: string
  friendly_name: string
  voice_url: UrlColumn<null>
  voice_method: WebhookMethod
  voice_fallback_url: UrlColumn<null>
  voice_fallback_method: WebhookMethod
  status_callback: UrlColumn<null>
  status_callback_method: WebhookMethod
  sip_registration: number
  secure: number
  emergency_calling_enabled: number
  emergency_caller_sid: string | null
  byoc_trunk_sid: string | null
  allows_any_from: number
  /** Names with commas; null where nobody has chosen. */
  codecs: string | null
  /** The inbound region: a resource of its own with one row for each domain. */
  region_sid: string
  region_name: string
  voice_region: string
  region_updated_at: number
  created_at: number
  updated_at: number
}

/** Credential lists and access control lists. */
export interface SipListsTable {
  sid: string
  account_sid: string
  kind: 'credentials' | 'addresses'
  friendly_name: string
  created_at: number
  updated_at: number
}

export interface SipCredentialsTable {
  sid: string
  account_sid: string
  list_sid: string
  username: string
  /** H(A1) of RFC 7616 for each algorithm, sealed by the vault. The password itself is not kept. */
  md5_sealed: string
  sha256_sealed: string
  created_at: number
  updated_at: number
}

export interface SipAddressesTable {
  sid: string
  account_sid: string
  list_sid: string
  friendly_name: string
  ip_address: string
  prefix_length: number
  created_at: number
  updated_at: number
}

/** The lists that a domain accepts, for calls and for registrations. */
export interface SipDomainMappingsTable {
  domain_sid: string
  purpose: 'calls' | 'registrations'
  list_sid: string
  account_sid: string
  created_at: number
}

export const sipDomainsBaseline: Migration = {
  name: 'sip-domains/1-baseline',
  statements: ({ byKey }) => domainTables(byKey) + listTables(byKey),
}

export const sipDomainTrunks: Migration = {
  name: 'sip-domains/2-byoc-trunk',
  after: [sipDomainsBaseline],
  statements: () => `
alter table sip_domains add column byoc_trunk_sid text;
`,
}

export const sipDomainCallers: Migration = {
  name: 'sip-domains/3-callers',
  after: [sipDomainTrunks],
  statements: () => `
alter table sip_domains add column allows_any_from integer not null default 0;
`,
}

export const sipDomainCodecs: Migration = {
  name: 'sip-domains/4-codecs',
  after: [sipDomainCallers],
  statements: () => `
alter table sip_domains add column codecs text;
`,
}

const domainTables = (byKey: string) => `
create table sip_domains (
  sid text primary key,
  account_sid text not null,
  domain_name text not null,
  friendly_name text not null,
  voice_url text,
  voice_method text not null,
  voice_fallback_url text,
  voice_fallback_method text not null,
  status_callback text,
  status_callback_method text not null,
  sip_registration integer not null,
  secure integer not null,
  emergency_calling_enabled integer not null,
  emergency_caller_sid text,
  region_sid text not null,
  region_name text not null,
  voice_region text not null,
  region_updated_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index sip_domains_by_name on sip_domains (domain_name);
create index sip_domains_by_account on sip_domains (account_sid, created_at desc, sid desc);
create table sip_domain_mappings (
  domain_sid text not null,
  purpose text not null,
  list_sid text not null,
  account_sid text not null,
  created_at bigint not null,
  primary key (domain_sid, purpose, list_sid)
)${byKey};
create index sip_domain_mappings_by_list on sip_domain_mappings (list_sid);
`

const listTables = (byKey: string) => `
create table sip_lists (
  sid text primary key,
  account_sid text not null,
  kind text not null,
  friendly_name text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index sip_lists_by_name on sip_lists (account_sid, kind, friendly_name);
create index sip_lists_by_account on sip_lists (account_sid, kind, created_at desc, sid desc);
create table sip_credentials (
  sid text primary key,
  account_sid text not null,
  list_sid text not null,
  username text not null,
  md5_sealed text not null,
  sha256_sealed text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index sip_credentials_by_name on sip_credentials (list_sid, username);
create index sip_credentials_by_list on sip_credentials (list_sid, created_at desc, sid desc);
create table sip_addresses (
  sid text primary key,
  account_sid text not null,
  list_sid text not null,
  friendly_name text not null,
  ip_address text not null,
  prefix_length integer not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index sip_addresses_by_list on sip_addresses (list_sid, created_at desc, sid desc);
`
