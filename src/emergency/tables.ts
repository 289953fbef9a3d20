import { accountsBaseline } from '../accounts/tables.js'
import { phoneNumbersBaseline } from '../numbers/tables.js'
import type { ClaimColumns } from '../platform/database/claims.js'
import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    emergency_addresses: EmergencyAddressesTable
    emergency_records: EmergencyRecordsTable
    emergency_provisions: EmergencyProvisionsTable
  }
}

/** The addresses that were found valid, each once for an account. */
export interface EmergencyAddressesTable {
  /** The `addressid` of the API. */
  id: Generated<number>
  account_sid: string
  /** A digest of the address and of what has judged it. */
  digest: string
  address1: string
  address2: string
  city: string
  state: string
  zip: string
  /** CivicAddress as JSON. */
  location: string
  /** What has judged the address. */
  source: string
  validated_at: number
}

/** The address of each number that has one. It goes with the number. */
export interface EmergencyRecordsTable {
  number_sid: string
  /** The account that made the record; it holds for no other account. */
  account_sid: string
  phone_number: string
  caller_name: string
  address_id: number
  address1: string
  address2: string
  city: string
  state: string
  zip: string
  /** CivicAddress as JSON. */
  location: string
  source: string
  created_at: number
  updated_at: number
}

/**
 * The numbers that the provider may have a record of. A row is there before the provider is asked, and
 * it outlives the number: without a record here, the provider's is removed.
 */
export interface EmergencyProvisionsTable extends ClaimColumns {
  phone_number: string
  /** Nobody removes the provider's record before; the request that gives it has ended then. */
  next_at: number
  attempts: number
}

export const emergencyBaseline: Migration = {
  name: 'emergency/1-baseline',
  after: [accountsBaseline, phoneNumbersBaseline],
  statements: ({ serial }) => `
create table emergency_addresses (
  id ${serial},
  account_sid text not null references accounts (sid),
  digest text not null,
  address1 text not null,
  address2 text not null,
  city text not null,
  state text not null,
  zip text not null,
  location text not null,
  source text not null,
  validated_at bigint not null
);
create unique index emergency_addresses_by_digest on emergency_addresses (account_sid, digest);
create index emergency_addresses_by_age on emergency_addresses (validated_at);
create table emergency_records (
  number_sid text primary key references phone_numbers (sid) on delete cascade,
  account_sid text not null references accounts (sid),
  phone_number text not null unique,
  caller_name text not null,
  address_id bigint not null,
  address1 text not null,
  address2 text not null,
  city text not null,
  state text not null,
  zip text not null,
  location text not null,
  source text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index emergency_records_by_account on emergency_records (account_sid, phone_number);
`,
}

export const emergencyProvisions: Migration = {
  name: 'emergency/2-provisions',
  after: [emergencyBaseline],
  statements: ({ byKey }) => `
create table emergency_provisions (
  phone_number text primary key,
  next_at bigint not null,
  attempts integer not null,
  claimed_by text,
  claimed_until bigint
)${byKey};
insert into emergency_provisions (phone_number, next_at, attempts)
select phone_number, updated_at, 0 from emergency_records;
`,
}
