import type { Migration } from '../../platform/database/migration.js'
import type { Generated } from '../../platform/database/tables.js'
import type { CarrierTransport } from './carrier.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    carriers: CarriersTable
    carrier_calls: CarrierCallsTable
  }
}

export interface CarriersTable {
  id: Generated<number>
  name: string
  host: string
  /** Null: the port of the host's DNS service records. */
  port: number | null
  transport: CarrierTransport
  /** E.164 prefixes of the numbers that the carrier accepts, as a JSON array; `+` means every number. */
  prefixes: string
  priority: number
  weight: number
  /** CIDRs from which the carrier sends INVITEs, as a JSON array. */
  addresses: string
  username: string | null
  passwordSealed: string | null
  /** CarrierSettings as JSON. */
  settings: string
  createdAt: number
}

/** The claimed slots of carriers with a maximum of concurrent calls; those of ended calls do not count. */
export interface CarrierCallsTable {
  callSid: string
  carrier: string
}

export const carriersBaseline: Migration = {
  name: 'carriers/1-baseline',
  statements: ({ byKey, serial }) => `
create table carriers (
  id ${serial},
  name text not null unique,
  host text not null,
  port integer,
  transport text not null,
  prefixes text not null,
  priority integer not null,
  weight integer not null,
  addresses text not null,
  username text,
  "passwordSealed" text,
  settings text not null,
  "createdAt" bigint not null
);
create table carrier_calls (
  "callSid" text primary key,
  carrier text not null
)${byKey};
create index carrier_calls_by_carrier on carrier_calls (carrier);
`,
}
