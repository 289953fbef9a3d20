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

/**
 * The numbers that accounts hold. What a feature does with a number is in a table of its own, by
 * `sid`, whose rows go with the number.
 */
export interface PhoneNumbersTable {
  sid: string
  account_sid: string
  phone_number: string
  kind: 'local' | 'toll-free'
  can_voice: number
  can_sms: number
  can_mms: number
  can_fax: number
  created_at: number
  updated_at: number
}

/** The numbers that accounts have given back. */
export interface PhoneNumberReleasesTable {
  sid: string
  account_sid: string
  phone_number: string
  released_at: number
}

/** The operator's numbers that accounts can claim, and those that they have claimed. */
export interface PhoneNumberInventoryTable {
  phone_number: string
  /** The ISO code of the country. */
  country: string
  kind: 'local' | 'toll-free' | 'mobile'
  /** The three digits after +1 of a North American number. */
  area_code: string | null
  region: string | null
  locality: string | null
  postal_code: string | null
  rate_center: string | null
  lata: string | null
  /** Millionths of a degree. */
  latitude: number | null
  longitude: number | null
  can_voice: number
  can_sms: number
  can_mms: number
  can_fax: number
  imported_at: number
}

/** How many numbers the inventory has of each country and kind. */
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
  account_sid text not null references accounts (sid),
  phone_number text not null unique,
  kind text not null,
  can_voice integer not null,
  can_sms integer not null,
  can_mms integer not null,
  can_fax integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index phone_numbers_by_account on phone_numbers (account_sid, created_at desc, sid desc);
create index phone_numbers_by_kind on phone_numbers (account_sid, kind, created_at desc, sid desc);
create table phone_number_releases (
  sid text primary key,
  account_sid text not null,
  phone_number text not null,
  released_at bigint not null
)${byKey};
create index phone_number_releases_by_time on phone_number_releases (released_at);
`,
}

export const phoneNumberInventoryBaseline: Migration = {
  name: 'phone-numbers/2-inventory',
  statements: ({ byKey, countRows }) => `
create table phone_number_inventory (
  phone_number text primary key,
  country text not null,
  kind text not null,
  area_code text,
  region text,
  locality text,
  postal_code text,
  rate_center text,
  lata text,
  latitude bigint,
  longitude bigint,
  can_voice integer not null,
  can_sms integer not null,
  can_mms integer not null,
  can_fax integer not null,
  imported_at bigint not null
)${byKey};
create index phone_number_inventory_by_kind
  on phone_number_inventory (country, kind, phone_number);
create index phone_number_inventory_by_area_code
  on phone_number_inventory (area_code, phone_number);
create index phone_number_inventory_by_region
  on phone_number_inventory (country, region, phone_number);
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
