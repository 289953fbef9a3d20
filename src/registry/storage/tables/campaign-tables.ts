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
  campaign_id: string
  csp_id: string
  brand_id: string
  status: string
  usecase: string
  reseller_id: string
  reference_key: string | null
  is_mock: number
  vertical: string | null
  auto_renewal: number
  /** 1 when at least one operator reviews the campaign. */
  is_in_review: number
  last_event: string | null
  record: string
  created_at: number
}

export interface RegistrySharesTable {
  id: Generated<number>
  campaign_id: string
  downstream_cnp: string
  upstream_cnp: string
  status: string
  is_migration: number
  is_current: number
  shared_at: number
  record: string
}

export interface RegistryNumbersTable {
  id: Generated<number>
  campaign_id: string
  phone_number: string
  nnid: string
  provisioned_at: number
  is_current: number
}

export interface RegistryMigrationsTable {
  campaign_id: string
  status: string
  record: string
}

export const registryCampaignsBaseline: Migration = {
  name: 'registry-campaigns/1-baseline',
  statements: ({ serial }) => `
create table registry_campaigns (
  id ${serial},
  campaign_id text not null unique,
  csp_id text not null,
  brand_id text not null,
  status text not null,
  usecase text not null,
  reseller_id text not null,
  reference_key text,
  is_mock integer not null,
  vertical text,
  auto_renewal integer not null,
  is_in_review integer not null,
  last_event text,
  record text not null,
  created_at bigint not null
);
create unique index registry_campaigns_by_reference on registry_campaigns (csp_id, reference_key);
create index registry_campaigns_by_csp on registry_campaigns (csp_id, id);
create index registry_campaigns_by_brand on registry_campaigns (brand_id, status);
create index registry_campaigns_by_reseller on registry_campaigns (csp_id, reseller_id);
create index registry_campaigns_in_review on registry_campaigns (id) where is_in_review = 1;
create table registry_shares (
  id ${serial},
  campaign_id text not null,
  downstream_cnp text not null,
  upstream_cnp text not null,
  status text not null,
  is_migration integer not null,
  is_current integer not null,
  shared_at bigint not null,
  record text not null
);
create index registry_shares_by_campaign on registry_shares (campaign_id, id);
create index registry_shares_by_upstream on registry_shares (upstream_cnp, is_current, id);
create index registry_shares_by_downstream on registry_shares (downstream_cnp, is_current, id);
create table registry_numbers (
  id ${serial},
  campaign_id text not null,
  phone_number text not null,
  nnid text not null,
  provisioned_at bigint not null,
  is_current integer not null
);
create index registry_numbers_by_campaign on registry_numbers (campaign_id, id);
create unique index registry_numbers_current on registry_numbers (phone_number) where is_current = 1;
create index registry_numbers_by_phone on registry_numbers (phone_number, is_current, id);
create table registry_migrations (
  campaign_id text primary key,
  status text not null,
  record text not null
);
`,
}
