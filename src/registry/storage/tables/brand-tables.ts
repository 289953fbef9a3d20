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
  brandId: string
  cspId: string
  status: string
  identityStatus: string
  entityType: string
  displayKey: string
  state: string | null
  country: string
  ein: string | null
  universalEin: string | null
  mobilePhone: string | null
  referenceKey: string | null
  isMock: number
  isAuthPlus: number
  scoring: string
  record: string
  createdAt: number
}

export interface RegistryBrandCountsTable {
  cspId: string
  status: string
  brands: number
}

/** The number of brands in each block of 1,024 ids; database triggers maintain it. */
export interface RegistryBrandBlocksTable {
  cspId: string
  status: string
  /** The block's number: `id / BRANDS_PER_BLOCK` of its brands. */
  block: number
  brands: number
}

/** Number of ids per row of registry_brand_blocks. */
export const BRANDS_PER_BLOCK = 1_024

/** The trigram index of brand names, for substring search. */
export const BRAND_NAMES: TrigramIndex = {
  name: 'registry_brand_names',
  table: 'registry_brands',
  column: 'displayKey',
}

const BRAND_INDEXES = `
create unique index registry_brands_by_reference on registry_brands ("cspId", "referenceKey");
create index registry_brands_by_ein on registry_brands ("cspId", ein, id);
create index registry_brands_by_universal_ein on registry_brands ("cspId", "universalEin", id);
create index registry_brands_by_phone on registry_brands ("mobilePhone") where "mobilePhone" is not null;
create index registry_brands_unscored on registry_brands (id) where scoring = 'pending';
create index registry_brands_listed on registry_brands
  ("cspId", status, id, "entityType", "identityStatus", state, country, "isMock", "isAuthPlus", "displayKey");
`

export const registryBrandsBaseline: Migration = {
  name: 'registry-brands/1-baseline',
  statements: ({ serial, byKey, countRows, trigramIndex }) => `
create table registry_brands (
  id ${serial},
  "brandId" text not null unique,
  "cspId" text not null,
  status text not null,
  "identityStatus" text not null,
  "entityType" text not null,
  "displayKey" text not null,
  state text,
  country text not null,
  ein text,
  "universalEin" text,
  "mobilePhone" text,
  "referenceKey" text,
  "isMock" integer not null,
  "isAuthPlus" integer not null,
  scoring text not null,
  record text not null,
  "createdAt" bigint not null
);
${BRAND_INDEXES}
create table registry_brand_counts (
  "cspId" text not null,
  status text not null,
  brands integer not null,
  primary key ("cspId", status)
);
create table registry_brand_blocks (
  "cspId" text not null,
  status text not null,
  block integer not null,
  brands integer not null,
  primary key ("cspId", status, block)
)${byKey};
${countRows({
  table: 'registry_brands',
  counts: 'registry_brand_counts',
  column: 'brands',
  groups: { cspId: (row) => `${row}."cspId"`, status: (row) => `${row}.status` },
  movedBy: 'status',
})}
${countRows({
  table: 'registry_brands',
  counts: 'registry_brand_blocks',
  column: 'brands',
  groups: {
    cspId: (row) => `${row}."cspId"`,
    status: (row) => `${row}.status`,
    block: (row) => `${row}.id / ${BRANDS_PER_BLOCK}`,
  },
  movedBy: 'status',
})}
${trigramIndex(BRAND_NAMES)}
`,
}
