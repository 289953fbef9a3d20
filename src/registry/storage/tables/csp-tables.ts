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
  cspId: string
  accountSid: string
  record: string
  createdAt: number
}

export interface RegistryResellersTable {
  id: Generated<number>
  resellerId: string
  cspId: string
  companyKey: string
  record: string
  createdAt: number
}

export interface RegistryTagsTable {
  id: Generated<number>
  cspId: string
  recordType: string
  recordId: string
  name: string
}

export const registryCspsBaseline: Migration = {
  name: 'registry-csps/1-baseline',
  statements: ({ serial }) => `
create table registry_csps (
  "cspId" text primary key,
  "accountSid" text not null unique,
  record text not null,
  "createdAt" bigint not null
);
create table registry_resellers (
  id ${serial},
  "resellerId" text not null unique,
  "cspId" text not null,
  "companyKey" text not null,
  record text not null,
  "createdAt" bigint not null
);
create unique index registry_resellers_by_company on registry_resellers ("cspId", "companyKey");
create table registry_tags (
  id ${serial},
  "cspId" text not null,
  "recordType" text not null,
  "recordId" text not null,
  name text not null
);
create unique index registry_tags_by_record on registry_tags ("cspId", "recordType", "recordId", name);
create index registry_tags_by_name on registry_tags ("cspId", name);
`,
}
