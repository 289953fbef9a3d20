import type { Migration, TrigramIndex } from '../../../platform/database/migration.js'
import type { Generated } from '../../../platform/database/tables.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_brands: RegistryBrandsTable
    registry_brand_counts: RegistryBrandCountsTable
    registry_brand_blocks: RegistryBrandBlocksTable
  }
}

export interface RegistryBrandsTable {
  id: Generated<number>
  brand_id: string
  csp_id: string
  status: string
  identity_status: string
  entity_type: string
  display_key: string
  state: string | null
  country: string
  ein: string | null
  universal_ein: string | null
  mobile_phone: string | null
  reference_key: string | null
  is_mock: number
  is_auth_plus: number
  scoring: string
  record: string
  created_at: number
}

export interface RegistryBrandCountsTable {
  csp_id: string
  status: string
  brands: number
}

/** The number of brands in each block of 1,024 ids; triggers of the database maintain it. */
export interface RegistryBrandBlocksTable {
  csp_id: string
  status: string
  /** The block's number: `id / BRANDS_PER_BLOCK` of its brands. */
  block: number
  brands: number
}

/** The number of ids that one row of registry_brand_blocks counts. */
export const BRANDS_PER_BLOCK = 1_024

/** The index of brand names, for a search by any part. */
export const BRAND_NAMES: TrigramIndex = {
  name: 'registry_brand_names',
  table: 'registry_brands',
  column: 'display_key',
}

const BRAND_INDEXES = `
create unique index registry_brands_by_reference on registry_brands (csp_id, reference_key);
create index registry_brands_by_ein on registry_brands (csp_id, ein, id);
create index registry_brands_by_universal_ein on registry_brands (csp_id, universal_ein, id);
create index registry_brands_by_phone on registry_brands (mobile_phone) where mobile_phone is not null;
create index registry_brands_unscored on registry_brands (id) where scoring = 'pending';
create index registry_brands_listed on registry_brands
  (csp_id, status, id, entity_type, identity_status, state, country, is_mock, is_auth_plus, display_key);
`

export const registryBrandsBaseline: Migration = {
  name: 'registry-brands/1-baseline',
  statements: ({ serial, byKey, countRows, trigramIndex }) => `
create table registry_brands (
  id ${serial},
  brand_id text not null unique,
  csp_id text not null,
  status text not null,
  identity_status text not null,
  entity_type text not null,
  display_key text not null,
  state text,
  country text not null,
  ein text,
  universal_ein text,
  mobile_phone text,
  reference_key text,
  is_mock integer not null,
  is_auth_plus integer not null,
  scoring text not null,
  record text not null,
  created_at bigint not null
);
${BRAND_INDEXES}
create table registry_brand_counts (
  csp_id text not null,
  status text not null,
  brands integer not null,
  primary key (csp_id, status)
);
create table registry_brand_blocks (
  csp_id text not null,
  status text not null,
  block integer not null,
  brands integer not null,
  primary key (csp_id, status, block)
)${byKey};
${countRows({
  table: 'registry_brands',
  counts: 'registry_brand_counts',
  column: 'brands',
  groups: { csp_id: (row) => `${row}.csp_id`, status: (row) => `${row}.status` },
  movedBy: 'status',
})}
${countRows({
  table: 'registry_brands',
  counts: 'registry_brand_blocks',
  column: 'brands',
  groups: {
    csp_id: (row) => `${row}.csp_id`,
    status: (row) => `${row}.status`,
    block: (row) => `${row}.id / ${BRANDS_PER_BLOCK}`,
  },
  movedBy: 'status',
})}
${trigramIndex(BRAND_NAMES)}
`,
}
