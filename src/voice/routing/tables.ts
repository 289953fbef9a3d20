import type { Migration } from '../../platform/database/migration.js'
import type { Generated } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    carriers: CarriersTable
  }
}

export interface CarriersTable {
  id: Generated<number>
  name: string
  host: string
  port: number
  transport: 'udp' | 'tcp'
  /** E.164 prefixes that the carrier takes, as a JSON array; `+` takes every number. */
  prefixes: string
  priority: number
  weight: number
  /** CIDRs that the carrier's INVITEs come from, as a JSON array. */
  addresses: string
  username: string | null
  password_sealed: string | null
  created_at: number
}

export const carriersBaseline: Migration = {
  name: 'carriers/1-baseline',
  statements: ({ serial }) => `
create table carriers (
  id ${serial},
  name text not null unique,
  host text not null,
  port integer not null,
  transport text not null,
  prefixes text not null,
  priority integer not null,
  weight integer not null,
  addresses text not null,
  username text,
  password_sealed text,
  created_at bigint not null
);
`,
}
