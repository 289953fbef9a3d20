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

/** Validated addresses, one row per account and address. */
export interface EmergencyAddressesTable {
  /** The `addressid` of the API. */
  id: Generated<number>
  accountSid: string
  /** Digest of the address and of its validator's name. */
  digest: string
  address1: string
  address2: string
  city: string
  state: string
  zip: string
  /** CivicAddress as JSON. */
  location: string
  /** Name of the provider that validated the address. */
  source: string
  validatedAt: number
}

/** The address of each number that has one; deleted with the number. */
export interface EmergencyRecordsTable {
  numberSid: string
  /** The account that created the record; the record is invalid for other accounts. */
  accountSid: string
  phoneNumber: string
  callerName: string
  addressId: number
  address1: string
  address2: string
  city: string
  state: string
  zip: string
  /** CivicAddress as JSON. */
  location: string
  source: string
  createdAt: number
  updatedAt: number
}

/**
 * Numbers for which the provider may have a record. A row is stored before the request to the provider, and
 * outlives the number: without a record here, the provider's record is removed.
 */
export interface EmergencyProvisionsTable extends ClaimColumns {
  phoneNumber: string
  /** Earliest time of a removal at the provider; the request that sends the record has ended by then. */
  nextAt: number
  attempts: number
}

export const emergencyBaseline: Migration = {
  name: 'emergency/1-baseline',
  after: [accountsBaseline, phoneNumbersBaseline],
  statements: ({ serial }) => `
create table emergency_addresses (
  id ${serial},
  "accountSid" text not null references accounts (sid),
  digest text not null,
  address1 text not null,
  address2 text not null,
  city text not null,
  state text not null,
  zip text not null,
  location text not null,
  source text not null,
  "validatedAt" bigint not null
);
create unique index emergency_addresses_by_digest on emergency_addresses ("accountSid", digest);
create index emergency_addresses_by_age on emergency_addresses ("validatedAt");
create table emergency_records (
  "numberSid" text primary key references phone_numbers (sid) on delete cascade,
  "accountSid" text not null references accounts (sid),
  "phoneNumber" text not null unique,
  "callerName" text not null,
  "addressId" bigint not null,
  address1 text not null,
  address2 text not null,
  city text not null,
  state text not null,
  zip text not null,
  location text not null,
  source text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
);
create index emergency_records_by_account on emergency_records ("accountSid", "phoneNumber");
`,
}

export const emergencyProvisions: Migration = {
  name: 'emergency/2-provisions',
  after: [emergencyBaseline],
  statements: ({ byKey }) => `
create table emergency_provisions (
  "phoneNumber" text primary key,
  "nextAt" bigint not null,
  attempts integer not null,
  "claimedBy" text,
  "claimedUntil" bigint
)${byKey};
insert into emergency_provisions ("phoneNumber", "nextAt", attempts)
select "phoneNumber", "updatedAt", 0 from emergency_records;
`,
}
