import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    drained_servers: DrainedServersTable
  }
}

/** The drachtio and FreeSWITCH servers that get no new call from any node. */
export interface DrainedServersTable {
  /** `host:port`, as in the setting. */
  name: string
  drainedAt: number
}

export const drainedServersBaseline: Migration = {
  name: 'drained-servers/1-baseline',
  statements: ({ byKey }) => `
create table drained_servers (
  name text primary key,
  "drainedAt" bigint not null
)${byKey};
`,
}
