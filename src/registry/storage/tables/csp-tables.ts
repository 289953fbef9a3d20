import type { Migration } from '../../../platform/database/migration.js'
import type { Generated } from '../../../platform/database/tables.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_csps: RegistryCspsTable
    registry_resellers: RegistryResellersTable
    registry_tags: RegistryTagsTable
  }
}

export interface RegistryCspsTable {
  csp_id: string
  account_sid: string
  record: string
  created_at: number
}

export interface RegistryResellersTable {
  id: Generated<number>
  reseller_id: string
  csp_id: string
  company_key: string
  record: string
  created_at: number
}

export interface RegistryTagsTable {
  id: Generated<number>
  csp_id: string
  record_type: string
  record_id: string
  name: string
}

export const registryCspsBaseline: Migration = {
  name: 'registry-csps/1-baseline',
  statements: ({ serial }) => `
create table registry_csps (
  csp_id text primary key,
  account_sid text not null unique,
  record text not null,
  created_at bigint not null
);
create table registry_resellers (
  id ${serial},
  reseller_id text not null unique,
  csp_id text not null,
  company_key text not null,
  record text not null,
  created_at bigint not null
);
create unique index registry_resellers_by_company on registry_resellers (csp_id, company_key);
create table registry_tags (
  id ${serial},
  csp_id text not null,
  record_type text not null,
  record_id text not null,
  name text not null
);
create unique index registry_tags_by_record on registry_tags (csp_id, record_type, record_id, name);
create index registry_tags_by_name on registry_tags (csp_id, name);
`,
}
