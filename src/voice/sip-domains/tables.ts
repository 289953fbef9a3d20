import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    sip_domains: SipDomainsTable
    sip_lists: SipList
    sip_credentials: SipCredentialsTable
    sip_addresses: SipAddress
    sip_domain_mappings: SipDomainMappingsTable
  }
}

export interface SipDomainsTable {
  sid: string
  accountSid: string
  /** The host name in lower case, unique over all accounts. */
  domainName: string
  friendlyName: string
  voiceUrl: UrlColumn<null>
  voiceMethod: WebhookMethod
  voiceFallbackUrl: UrlColumn<null>
  voiceFallbackMethod: WebhookMethod
  statusCallback: UrlColumn<null>
  statusCallbackMethod: WebhookMethod
  sipRegistration: number
  secure: number
  emergencyCallingEnabled: number
  emergencyCallerSid: string | null
  byocTrunkSid: string | null
  allowsAnyFrom: number
  /** Codec names separated by commas; null for the default. */
  codecs: string | null
  /** Sid of the inbound region, a resource with one row per domain. */
  regionSid: string
  regionName: string
  voiceRegion: string
  regionUpdatedAt: number
  createdAt: number
  updatedAt: number
}

/** Credential lists and access control lists. */
export interface SipList {
  readonly sid: string
  readonly accountSid: string
  readonly kind: 'credentials' | 'addresses'
  readonly friendlyName: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface SipCredentialsTable {
  sid: string
  accountSid: string
  listSid: string
  username: string
  /** H(A1) of RFC 7616 for each algorithm, encrypted. The password itself is not stored. */
  md5Sealed: string
  sha256Sealed: string
  createdAt: number
  updatedAt: number
}

export interface SipAddress {
  readonly sid: string
  readonly accountSid: string
  readonly listSid: string
  readonly friendlyName: string
  /** An IPv4 or IPv6 address. */
  readonly ipAddress: string
  readonly prefixLength: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** Lists mapped to a domain, for calls and for registrations. */
export interface SipDomainMappingsTable {
  domainSid: string
  purpose: 'calls' | 'registrations'
  listSid: string
  accountSid: string
  createdAt: number
}

export const sipDomainsBaseline: Migration = {
  name: 'sip-domains/1-baseline',
  statements: ({ byKey }) => domainTables(byKey) + listTables(byKey),
}

export const sipDomainTrunks: Migration = {
  name: 'sip-domains/2-byoc-trunk',
  after: [sipDomainsBaseline],
  statements: () => `
alter table sip_domains add column "byocTrunkSid" text;
`,
}

export const sipDomainCallers: Migration = {
  name: 'sip-domains/3-callers',
  after: [sipDomainTrunks],
  statements: () => `
alter table sip_domains add column "allowsAnyFrom" integer not null default 0;
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
  "accountSid" text not null,
  "domainName" text not null,
  "friendlyName" text not null,
  "voiceUrl" text,
  "voiceMethod" text not null,
  "voiceFallbackUrl" text,
  "voiceFallbackMethod" text not null,
  "statusCallback" text,
  "statusCallbackMethod" text not null,
  "sipRegistration" integer not null,
  secure integer not null,
  "emergencyCallingEnabled" integer not null,
  "emergencyCallerSid" text,
  "regionSid" text not null,
  "regionName" text not null,
  "voiceRegion" text not null,
  "regionUpdatedAt" bigint not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index sip_domains_by_name on sip_domains ("domainName");
create index sip_domains_by_account on sip_domains ("accountSid", "createdAt" desc, sid desc);
create table sip_domain_mappings (
  "domainSid" text not null,
  purpose text not null,
  "listSid" text not null,
  "accountSid" text not null,
  "createdAt" bigint not null,
  primary key ("domainSid", purpose, "listSid")
)${byKey};
create index sip_domain_mappings_by_list on sip_domain_mappings ("listSid");
`

const listTables = (byKey: string) => `
create table sip_lists (
  sid text primary key,
  "accountSid" text not null,
  kind text not null,
  "friendlyName" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index sip_lists_by_name on sip_lists ("accountSid", kind, "friendlyName");
create index sip_lists_by_account on sip_lists ("accountSid", kind, "createdAt" desc, sid desc);
create table sip_credentials (
  sid text primary key,
  "accountSid" text not null,
  "listSid" text not null,
  username text not null,
  "md5Sealed" text not null,
  "sha256Sealed" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index sip_credentials_by_name on sip_credentials ("listSid", username);
create index sip_credentials_by_list on sip_credentials ("listSid", "createdAt" desc, sid desc);
create table sip_addresses (
  sid text primary key,
  "accountSid" text not null,
  "listSid" text not null,
  "friendlyName" text not null,
  "ipAddress" text not null,
  "prefixLength" integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index sip_addresses_by_list on sip_addresses ("listSid", "createdAt" desc, sid desc);
`
