import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    daily_exports: DailyExportsTable
  }
}

/** One row for each day of an account whose archive exists or is to be built. */
export interface DailyExportsTable {
  account_sid: string
  /** The UTC day, as `2026-11-21`. */
  day: string
  state: 'queued' | 'building' | 'completed' | 'failed'
  /** Names the build under way; null without one. */
  lease: string | null
  /** The node that builds; null when none does. */
  builder: string | null
  /** The time at which the lease ends, or at which a queued row is due. */
  due_at: number
  attempts: number
  /** How far the build under way is, in percent; `records` is what it has written. */
  progress: number
  records: number
  /** The size of the archive that can be downloaded; null before the first one is complete. */
  bytes: number | null
  /** The number of its records that were not final when it was built. */
  unfinished: number
  built_at: number | null
  /** Why the last attempt failed, for a person; null without a failure. */
  error: string | null
  created_at: number
  updated_at: number
}

export const exportsBaseline: Migration = {
  name: 'exports/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table daily_exports (
  account_sid text not null references accounts (sid),
  day text not null,
  state text not null,
  lease text,
  builder text,
  due_at bigint not null,
  attempts integer not null,
  progress integer not null,
  records bigint not null,
  bytes bigint,
  unfinished integer not null,
  built_at bigint,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_sid, day)
)${byKey};
create index daily_exports_due on daily_exports (due_at) where state in ('queued', 'building');
create index daily_exports_by_day on daily_exports (day);
`,
}
