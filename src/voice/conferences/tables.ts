import type { Migration } from '../../platform/database/migration.js'
import type { UrlsJsonColumn } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    conferences: ConferencesTable
  }
}

export interface ConferencesTable {
  sid: string
  account_sid: string
  /** The name of the node that has the room, which is the one that recovers it. */
  node: string
  friendly_name: string
  status: 'init' | 'in-progress' | 'completed'
  reason_ended: string | null
  /** The sid of the call that ended the room by leaving. */
  ended_by: string | null
  /** The status callback as JSON: its URL, method and events. */
  callback: UrlsJsonColumn<null>
  /** The number of events so far. */
  sequence: number
  created_at: number
  updated_at: number
}

export const conferencesBaseline: Migration = {
  name: 'conferences/1-baseline',
  statements: ({ byKey }) => `
create table conferences (
  sid text primary key,
  account_sid text not null,
  node text not null,
  friendly_name text not null,
  status text not null,
  reason_ended text,
  ended_by text,
  created_at bigint not null,
  updated_at bigint not null,
  callback text,
  sequence integer not null default 0
)${byKey};
create index conferences_by_account on conferences (account_sid, created_at desc, sid desc);
create index conferences_live on conferences (node) where status <> 'completed';
create index conferences_by_name on conferences (account_sid, friendly_name, created_at desc, sid desc);
`,
}
