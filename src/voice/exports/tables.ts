import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    daily_exports: DailyExportsTable
  }
}

/** One row per account and day whose archive exists or is to be built. */
export interface DailyExportsTable {
  accountSid: string
  /** The UTC day, such as `2026-11-21`. */
  day: string
  state: 'queued' | 'building' | 'completed' | 'failed'
  /** Id of the build in progress; null when there is none. */
  lease: string | null
  /** The node that builds; null when there is none. */
  builder: string | null
  /** When the lease expires, or when a queued row is due. */
  dueAt: number
  attempts: number
  /** Progress of the current build in percent; `records` is the number written so far. */
  progress: number
  records: number
  /** Size of the downloadable archive in bytes; null before the first one is complete. */
  bytes: number | null
  /** How many of its records were not final when it was built. */
  unfinished: number
  builtAt: number | null
  /** Why the last attempt failed, in words; null without a failure. */
  error: string | null
  createdAt: number
  updatedAt: number
}

export const exportsBaseline: Migration = {
  name: 'exports/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table daily_exports (
  "accountSid" text not null references accounts (sid),
  day text not null,
  state text not null,
  lease text,
  builder text,
  "dueAt" bigint not null,
  attempts integer not null,
  progress integer not null,
  records bigint not null,
  bytes bigint,
  unfinished integer not null,
  "builtAt" bigint,
  error text,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  primary key ("accountSid", day)
)${byKey};
create index daily_exports_due on daily_exports ("dueAt") where state in ('queued', 'building');
create index daily_exports_by_day on daily_exports (day);
`,
}
