import { accountsBaseline } from '../accounts/tables.js'
import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    phone_numbers: PhoneNumbersTable
    phone_number_releases: PhoneNumberReleasesTable
    phone_number_inventory: PhoneNumberInventoryTable
    phone_number_inventory_counts: PhoneNumberInventoryCountsTable
  }
}

/** Held numbers. Each feature has its own table by `sid`, whose rows are deleted with the number. */
export interface PhoneNumbersTable {
  sid: string
  accountSid: string
  phoneNumber: string
  kind: 'local' | 'toll-free'
  canVoice: number
  canSms: number
  canMms: number
  canFax: number
  createdAt: number
  updatedAt: number
}

/** Numbers that accounts have released. */
export interface PhoneNumberReleasesTable {
  sid: string
  accountSid: string
  phoneNumber: string
  releasedAt: number
}

/** The operator's numbers that accounts can claim, including claimed ones. */
export interface PhoneNumberInventoryTable {
  phoneNumber: string
  /** The ISO code of the country. */
  country: string
  kind: 'local' | 'toll-free' | 'mobile'
  /** The three digits after +1 of a North American number. */
  areaCode: string | null
  region: string | null
  locality: string | null
  postalCode: string | null
  rateCenter: string | null
  lata: string | null
  /** Millionths of a degree. */
  latitude: number | null
  longitude: number | null
  canVoice: number
  canSms: number
  canMms: number
  canFax: number
  importedAt: number
}

/** Size of the inventory by country and kind. */
export interface PhoneNumberInventoryCountsTable {
  country: string
  kind: 'local' | 'toll-free' | 'mobile'
  numbers: number
}

export const phoneNumbersBaseline: Migration = {
  name: 'phone-numbers/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table phone_numbers (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "phoneNumber" text not null unique,
  kind text not null,
  "canVoice" integer not null,
  "canSms" integer not null,
  "canMms" integer not null,
  "canFax" integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
);
create index phone_numbers_by_account on phone_numbers ("accountSid", "createdAt" desc, sid desc);
create index phone_numbers_by_kind on phone_numbers ("accountSid", kind, "createdAt" desc, sid desc);
create table phone_number_releases (
  sid text primary key,
  "accountSid" text not null,
  "phoneNumber" text not null,
  "releasedAt" bigint not null
)${byKey};
create index phone_number_releases_by_time on phone_number_releases ("releasedAt");
`,
}

export const phoneNumberInventoryBaseline: Migration = {
  name: 'phone-numbers/2-inventory',
  statements: ({ byKey, countRows }) => `
create table phone_number_inventory (
  "phoneNumber" text primary key,
  country text not null,
  kind text not null,
  "areaCode" text,
  region text,
  locality text,
  "postalCode" text,
  "rateCenter" text,
  lata text,
  latitude bigint,
  longitude bigint,
  "canVoice" integer not null,
  "canSms" integer not null,
  "canMms" integer not null,
  "canFax" integer not null,
  "importedAt" bigint not null
)${byKey};
create index phone_number_inventory_by_kind
  on phone_number_inventory (country, kind, "phoneNumber");
create index phone_number_inventory_by_area_code
  on phone_number_inventory ("areaCode", "phoneNumber");
create index phone_number_inventory_by_region
  on phone_number_inventory (country, region, "phoneNumber");
create index phone_number_inventory_by_place
  on phone_number_inventory (latitude, longitude) where latitude is not null;
create table phone_number_inventory_counts (
  country text not null,
  kind text not null,
  numbers integer not null,
  primary key (country, kind)
)${byKey};
${countRows({
  table: 'phone_number_inventory',
  counts: 'phone_number_inventory_counts',
  column: 'numbers',
  groups: { country: (row) => `${row}.country`, kind: (row) => `${row}.kind` },
})}
`,
}
