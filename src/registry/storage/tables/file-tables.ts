import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_attachments: RegistryAttachmentsTable
    registry_assets: RegistryAssetsTable
  }
}

export interface RegistryAttachmentsTable {
  uuid: string
  csp_id: string
  owner_id: string
  kind: string
  file_name: string
  mime_type: string
  bytes: number
  created_at: number
  /** The identifier at the upstream registry; null until it is known. */
  upstream_uuid: string | null
  /** The campaign at the upstream registry that the file was refused for; null while there is none. */
  upstream_refused_by: string | null
}

export interface RegistryAssetsTable {
  asset_id: string
  brand_id: string
  name_key: string
  record: string
  created_at: number
}

export const registryFilesBaseline: Migration = {
  name: 'registry-files/1-baseline',
  statements: () => `
create table registry_attachments (
  uuid text primary key,
  csp_id text not null,
  owner_id text not null,
  kind text not null,
  file_name text not null,
  mime_type text not null,
  bytes integer not null,
  created_at bigint not null
);
create index registry_attachments_by_owner on registry_attachments (owner_id, kind, created_at);
create table registry_assets (
  asset_id text primary key,
  brand_id text not null,
  name_key text not null,
  record text not null,
  created_at bigint not null
);
create unique index registry_assets_by_name on registry_assets (brand_id, name_key);
`,
}

/** A file that is deleted here has to be known at the registry above. */
export const registryFilesUpstream: Migration = {
  name: 'registry-files/2-upstream',
  after: [registryFilesBaseline],
  statements: () => `
alter table registry_attachments add column upstream_uuid text;
`,
}

/** A file that is refused above is told once, and not sent again. */
export const registryFilesUpstreamRefused: Migration = {
  name: 'registry-files/3-upstream-refused',
  after: [registryFilesUpstream],
  statements: () => `
alter table registry_attachments add column upstream_refused_by text;
`,
}
