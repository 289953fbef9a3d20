import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_messaging_brands: RegistryMessagingBrandsTable
    registry_messaging_campaigns: RegistryMessagingCampaignsTable
  }
}

/** Brands registered for number provisioning, with their names there. */
export interface RegistryMessagingBrandsTable {
  brandId: string
  cspId: string
  name: string
  /** The name in a form that ignores case; unique within a CSP. */
  nameKey: string
  description: string
  registeredAt: number
}

/** Campaigns registered for number provisioning. */
export interface RegistryMessagingCampaignsTable {
  campaignId: string
  brandId: string
  description: string
  className: string
  startedAt: number
}

export const registryMessagingBaseline: Migration = {
  name: 'registry-messaging/1-baseline',
  statements: ({ byKey }) => `
create table registry_messaging_brands (
  "brandId" text primary key,
  "cspId" text not null,
  name text not null,
  "nameKey" text not null,
  description text not null,
  "registeredAt" bigint not null
)${byKey};
create unique index registry_messaging_brands_by_name
  on registry_messaging_brands ("cspId", "nameKey");
create table registry_messaging_campaigns (
  "campaignId" text primary key,
  "brandId" text not null,
  description text not null,
  "className" text not null,
  "startedAt" bigint not null
)${byKey};
`,
}
