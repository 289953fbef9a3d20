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
  accountSid: string
  callSid: string
  name: string | null
  url: UrlColumn
  /** The track as the customer wrote it. */
  track: string
  /** `two-way`: the caller hears the audio that the customer sends. */
  kind: 'one-way' | 'two-way'
  status: 'in-progress' | 'stopped'
  callbackUrl: UrlColumn<null>
  callbackMethod: WebhookMethod
  /** When its audio began to flow; null before. */
  startedAt: number | null
  createdAt: number
  updatedAt: number
}

export const streamsBaseline: Migration = {
  name: 'streams/1-baseline',
  statements: ({ byKey }) => `
create table streams (
  sid text primary key,
  "accountSid" text not null,
  "callSid" text not null,
  name text,
  url text not null,
  track text not null,
  kind text not null,
  status text not null,
  "callbackUrl" text,
  "callbackMethod" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index streams_by_call on streams ("callSid", "createdAt" desc);
create unique index streams_going_on on streams ("callSid") where status = 'in-progress';
`,
}

/** Nobody can tell by now which of the former streams had begun; nearly all of them had. */
export const streamStarts: Migration = {
  name: 'streams/2-starts',
  after: [streamsBaseline],
  statements: () => `
alter table streams add column "startedAt" bigint;
update streams set "startedAt" = "createdAt";
`,
}
