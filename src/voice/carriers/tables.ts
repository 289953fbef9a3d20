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
  /** E.164 prefixes that the carrier takes, as a JSON array; `+` takes every number. */
  prefixes: string
  priority: number
  weight: number
  /** CIDRs that the carrier's INVITEs come from, as a JSON array. */
  addresses: string
  username: string | null
  passwordSealed: string | null
  /** CarrierSettings as JSON. */
  settings: string
  createdAt: number
}

/** The calls through carriers with a limit of calls at once; those that have ended do not count. */
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
