import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_attachments: RegistryAttachmentsTable
    registry_assets: RegistryAssetsTable
  }
}

export interface RegistryAttachmentsTable {
  uuid: string
  cspId: string
  ownerId: string
  kind: string
  fileName: string
  mimeType: string
  bytes: number
  createdAt: number
  /** The identifier at the upstream registry; null until it is known. */
  upstreamUuid: string | null
  /** The upstream campaign for which the file was refused; null when there is none. */
  upstreamRefusedBy: string | null
}

export interface RegistryAssetsTable {
  assetId: string
  brandId: string
  nameKey: string
  record: string
  createdAt: number
}

export const registryFilesBaseline: Migration = {
  name: 'registry-files/1-baseline',
  statements: () => `
create table registry_attachments (
  uuid text primary key,
  "cspId" text not null,
  "ownerId" text not null,
  kind text not null,
  "fileName" text not null,
  "mimeType" text not null,
  bytes integer not null,
  "createdAt" bigint not null
);
create index registry_attachments_by_owner on registry_attachments ("ownerId", kind, "createdAt");
create table registry_assets (
  "assetId" text primary key,
  "brandId" text not null,
  "nameKey" text not null,
  record text not null,
  "createdAt" bigint not null
);
create unique index registry_assets_by_name on registry_assets ("brandId", "nameKey");
`,
}

/** Adds the upstream identifier, which is needed to delete a file upstream. */
export const registryFilesUpstream: Migration = {
  name: 'registry-files/2-upstream',
  after: [registryFilesBaseline],
  statements: () => `
alter table registry_attachments add column "upstreamUuid" text;
`,
}

/** Adds the refusal mark: a refused file is reported once and not sent again. */
export const registryFilesUpstreamRefused: Migration = {
  name: 'registry-files/3-upstream-refused',
  after: [registryFilesUpstream],
  statements: () => `
alter table registry_attachments add column "upstreamRefusedBy" text;
`,
}
