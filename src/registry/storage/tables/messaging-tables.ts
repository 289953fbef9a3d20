import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_messaging_brands: RegistryMessagingBrandsTable
    registry_messaging_campaigns: RegistryMessagingCampaignsTable
  }
}

/** The brands that were registered for number provisioning, with the names they have there. */
export interface RegistryMessagingBrandsTable {
  brand_id: string
  csp_id: string
  name: string
  /** The name without regard to case: a CSP has each once. */
  name_key: string
  description: string
  registered_at: number
}

/** The campaigns that were registered for number provisioning. */
export interface RegistryMessagingCampaignsTable {
  campaign_id: string
  brand_id: string
  description: string
  class_name: string
  started_at: number
}

export const registryMessagingBaseline: Migration = {
  name: 'registry-messaging/1-baseline',
  statements: ({ byKey }) => `
create table registry_messaging_brands (
  brand_id text primary key,
  csp_id text not null,
  name text not null,
  name_key text not null,
  description text not null,
  registered_at bigint not null
)${byKey};
create unique index registry_messaging_brands_by_name
  on registry_messaging_brands (csp_id, name_key);
create table registry_messaging_campaigns (
  campaign_id text primary key,
  brand_id text not null,
  description text not null,
  class_name text not null,
  started_at bigint not null
)${byKey};
`,
}
