import type { Migration } from '../../platform/database/migration.js'
import type { UrlsJsonColumn } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    conferences: ConferencesTable
  }
}

export interface ConferencesTable {
  sid: string
  accountSid: string
  /** The name of the node that runs the room and recovers it. */
  node: string
  friendlyName: string
  status: 'init' | 'in-progress' | 'completed'
  reasonEnded: string | null
  /** The sid of the call whose departure ended the room. */
  endedBy: string | null
  /** The status callback as JSON: its URL, method and events. */
  callback: UrlsJsonColumn<null>
  /** The number of events so far. */
  sequence: number
  createdAt: number
  updatedAt: number
}

export const conferencesBaseline: Migration = {
  name: 'conferences/1-baseline',
  statements: ({ byKey }) => `
create table conferences (
  sid text primary key,
  "accountSid" text not null,
  node text not null,
  "friendlyName" text not null,
  status text not null,
  "reasonEnded" text,
  "endedBy" text,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  callback text,
  sequence integer not null default 0
)${byKey};
create index conferences_by_account on conferences ("accountSid", "createdAt" desc, sid desc);
create index conferences_live on conferences (node) where status <> 'completed';
create index conferences_by_name on conferences ("accountSid", "friendlyName", "createdAt" desc, sid desc);
`,
}
