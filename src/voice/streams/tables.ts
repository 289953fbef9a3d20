import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    streams: StreamsTable
  }
}

export interface StreamsTable {
  sid: string
  account_sid: string
  call_sid: string
  name: string | null
  url: UrlColumn
  /** The track as the customer wrote it. */
  track: string
  kind: 'one-way' | 'two-way'
  status: 'in-progress' | 'stopped'
  callback_url: UrlColumn<null>
  callback_method: WebhookMethod
  /** When its audio began to flow; null before. */
  started_at: number | null
  created_at: number
  updated_at: number
}

export const streamsBaseline: Migration = {
  name: 'streams/1-baseline',
  statements: ({ byKey }) => `
create table streams (
  sid text primary key,
  account_sid text not null,
  call_sid text not null,
  name text,
  url text not null,
  track text not null,
  kind text not null,
  status text not null,
  callback_url text,
  callback_method text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index streams_by_call on streams (call_sid, created_at desc);
create unique index streams_going_on on streams (call_sid) where status = 'in-progress';
`,
}

/** Nobody can tell by now which of the former streams had begun; nearly all of them had. */
export const streamStarts: Migration = {
  name: 'streams/2-starts',
  after: [streamsBaseline],
  statements: () => `
alter table streams add column started_at bigint;
update streams set started_at = created_at;
`,
}
