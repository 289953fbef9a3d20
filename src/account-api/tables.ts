import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    address_limits: AddressLimitsTable
  }
}

/** Addresses that called a limited operation within the last hour. */
export interface AddressLimitsTable {
  /** SHA-256 of the limit's name and the address. */
  source: string
  /** Time at which the whole allowance is available again. */
  fullAt: number
}

export const addressLimitsBaseline: Migration = {
  name: 'address-limits/1-baseline',
  statements: ({ byKey }) => `
create table address_limits (
  source text primary key,
  "fullAt" bigint not null
)${byKey};
create index address_limits_by_end on address_limits ("fullAt");
`,
}
