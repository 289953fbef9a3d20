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
  /** The Track parameter as the customer wrote it. */
  track: string
  /** `two-way`: the audio that the customer sends is played to the caller. */
  kind: 'one-way' | 'two-way'
  status: 'in-progress' | 'stopped'
  callbackUrl: UrlColumn<null>
  callbackMethod: WebhookMethod
  /** Time when the audio started, epoch ms; null before. */
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

/** Adds `startedAt`. Whether an older stream's audio had started is not stored; nearly all had. */
export const streamStarts: Migration = {
  name: 'streams/2-starts',
  after: [streamsBaseline],
  statements: () => `
alter table streams add column "startedAt" bigint;
update streams set "startedAt" = "createdAt";
`,
}
