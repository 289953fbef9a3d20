import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_vettings: RegistryVettingsTable
    registry_appeals: RegistryAppealsTable
    registry_otps: RegistryOtpsTable
    registry_confirmations: RegistryConfirmationsTable
  }
}

export interface RegistryVettingsTable {
  vetting_id: string
  brand_id: string
  status: string
  record: string
  created_at: number
}

export interface RegistryAppealsTable {
  appeal_id: string
  brand_id: string
  vetting_id: string | null
  status: string
  record: string
  created_at: number
}

export interface RegistryOtpsTable {
  reference_id: string
  brand_id: string
  csp_id: string
  record: string
  created_at: number
}

export interface RegistryConfirmationsTable {
  token_hash: string
  brand_id: string
}

/** The tables of the checks of brands: vettings, appeals, one-time PINs, confirmations by mail. */
export const registryBrandChecksBaseline: Migration = {
  name: 'registry-brand-checks/1-baseline',
  statements: () => `
create table registry_vettings (
  vetting_id text primary key,
  brand_id text not null,
  status text not null,
  record text not null,
  created_at bigint not null
);
create index registry_vettings_by_brand on registry_vettings (brand_id, created_at);
create index registry_vettings_pending on registry_vettings (created_at) where status = 'PENDING';
create table registry_appeals (
  appeal_id text primary key,
  brand_id text not null,
  vetting_id text,
  status text not null,
  record text not null,
  created_at bigint not null
);
create index registry_appeals_by_brand on registry_appeals (brand_id, created_at);
create index registry_appeals_pending on registry_appeals (created_at) where status = 'PENDING';
create table registry_otps (
  reference_id text primary key,
  brand_id text not null,
  csp_id text not null,
  record text not null,
  created_at bigint not null
);
create index registry_otps_by_brand on registry_otps (brand_id, created_at);
create table registry_confirmations (
  token_hash text primary key,
  brand_id text not null
);
`,
}
