import type { Migration } from '../../../platform/database/migration.js'
import type { Generated } from '../../../platform/database/tables.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_campaigns: RegistryCampaignsTable
    registry_shares: RegistrySharesTable
    registry_numbers: RegistryNumbersTable
    registry_migrations: RegistryMigrationsTable
  }
}

export interface RegistryCampaignsTable {
  id: Generated<number>
  campaignId: string
  cspId: string
  brandId: string
  status: string
  usecase: string
  resellerId: string
  referenceKey: string | null
  isMock: number
  vertical: string | null
  autoRenewal: number
  /** 1 when at least one operator reviews the campaign. */
  isInReview: number
  lastEvent: string | null
  record: string
  createdAt: number
}

export interface RegistrySharesTable {
  id: Generated<number>
  campaignId: string
  downstreamCnp: string
  upstreamCnp: string
  status: string
  isMigration: number
  isCurrent: number
  sharedAt: number
  record: string
}

export interface RegistryNumbersTable {
  id: Generated<number>
  campaignId: string
  phoneNumber: string
  nnid: string
  provisionedAt: number
  isCurrent: number
}

export interface RegistryMigrationsTable {
  campaignId: string
  status: string
  record: string
}

export const registryCampaignsBaseline: Migration = {
  name: 'registry-campaigns/1-baseline',
  statements: ({ serial }) => `
create table registry_campaigns (
  id ${serial},
  "campaignId" text not null unique,
  "cspId" text not null,
  "brandId" text not null,
  status text not null,
  usecase text not null,
  "resellerId" text not null,
  "referenceKey" text,
  "isMock" integer not null,
  vertical text,
  "autoRenewal" integer not null,
  "isInReview" integer not null,
  "lastEvent" text,
  record text not null,
  "createdAt" bigint not null
);
create unique index registry_campaigns_by_reference on registry_campaigns ("cspId", "referenceKey");
create index registry_campaigns_by_csp on registry_campaigns ("cspId", id);
create index registry_campaigns_by_brand on registry_campaigns ("brandId", status);
create index registry_campaigns_by_reseller on registry_campaigns ("cspId", "resellerId");
create index registry_campaigns_in_review on registry_campaigns (id) where "isInReview" = 1;
create table registry_shares (
  id ${serial},
  "campaignId" text not null,
  "downstreamCnp" text not null,
  "upstreamCnp" text not null,
  status text not null,
  "isMigration" integer not null,
  "isCurrent" integer not null,
  "sharedAt" bigint not null,
  record text not null
);
create index registry_shares_by_campaign on registry_shares ("campaignId", id);
create index registry_shares_by_upstream on registry_shares ("upstreamCnp", "isCurrent", id);
create index registry_shares_by_downstream on registry_shares ("downstreamCnp", "isCurrent", id);
create table registry_numbers (
  id ${serial},
  "campaignId" text not null,
  "phoneNumber" text not null,
  nnid text not null,
  "provisionedAt" bigint not null,
  "isCurrent" integer not null
);
create index registry_numbers_by_campaign on registry_numbers ("campaignId", id);
create unique index registry_numbers_current on registry_numbers ("phoneNumber") where "isCurrent" = 1;
create index registry_numbers_by_phone on registry_numbers ("phoneNumber", "isCurrent", id);
create table registry_migrations (
  "campaignId" text primary key,
  status text not null,
  record text not null
);
`,
}
