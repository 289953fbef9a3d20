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
  vettingId: string
  brandId: string
  status: string
  record: string
  createdAt: number
}

export interface RegistryAppealsTable {
  appealId: string
  brandId: string
  vettingId: string | null
  status: string
  record: string
  createdAt: number
}

export interface RegistryOtpsTable {
  referenceId: string
  brandId: string
  cspId: string
  record: string
  createdAt: number
}

export interface RegistryConfirmationsTable {
  tokenHash: string
  brandId: string
}

/** Tables for brand checks: vettings, appeals, one-time PINs, mail confirmations. */
export const registryBrandChecksBaseline: Migration = {
  name: 'registry-brand-checks/1-baseline',
  statements: () => `
create table registry_vettings (
  "vettingId" text primary key,
  "brandId" text not null,
  status text not null,
  record text not null,
  "createdAt" bigint not null
);
create index registry_vettings_by_brand on registry_vettings ("brandId", "createdAt");
create index registry_vettings_pending on registry_vettings ("createdAt") where status = 'PENDING';
create table registry_appeals (
  "appealId" text primary key,
  "brandId" text not null,
  "vettingId" text,
  status text not null,
  record text not null,
  "createdAt" bigint not null
);
create index registry_appeals_by_brand on registry_appeals ("brandId", "createdAt");
create index registry_appeals_pending on registry_appeals ("createdAt") where status = 'PENDING';
create table registry_otps (
  "referenceId" text primary key,
  "brandId" text not null,
  "cspId" text not null,
  record text not null,
  "createdAt" bigint not null
);
create index registry_otps_by_brand on registry_otps ("brandId", "createdAt");
create table registry_confirmations (
  "tokenHash" text primary key,
  "brandId" text not null
);
`,
}
