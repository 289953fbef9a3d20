import type { Migration } from '../../platform/database/migration.js'
import type { Generated } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    refused_calls: RefusedCallsTable
  }
}

export interface RefusedCallsTable {
  id: Generated<number>
  /** Hash of the hour, the source, the status, the number and the reason: equal refusals share a row. */
  key: string
  firstAt: number
  lastAt: number
  /** Number of INVITEs. */
  calls: number
  /** Address of the source; empty for several sources together. */
  address: string
  port: number
  transport: string
  /** URI of From, number or URI that was called, Call-ID and User-Agent of the last INVITE. */
  fromUri: string
  called: string
  callId: string
  userAgent: string
  /** Status of the response; 0 without a response. */
  status: number
  why: string
  /** The account, where it is known. */
  accountSid: string | null
  /** `INVITE` or `REGISTER`. */
  method: Generated<string>
  /** Name of the node that refused the last INVITE. */
  node: string
}

export const refusedCallsBaseline: Migration = {
  name: 'refused-calls/1-baseline',
  statements: ({ serial }) => `
create table refused_calls (
  id ${serial},
  key text not null unique,
  "firstAt" bigint not null,
  "lastAt" bigint not null,
  calls integer not null,
  address text not null,
  port integer not null,
  transport text not null,
  "fromUri" text not null,
  called text not null,
  "callId" text not null,
  "userAgent" text not null,
  status integer not null,
  why text not null,
  "accountSid" text,
  node text not null
);
create index refused_calls_by_time on refused_calls ("lastAt", id);
create index refused_calls_by_account on refused_calls ("accountSid");
`,
}

/** No query looks for the refusals of one account: the index cost a write for each row. */
export const refusedCallsByTime: Migration = {
  name: 'refused-calls/2-by-time-alone',
  after: [refusedCallsBaseline],
  statements: () => `
drop index refused_calls_by_account;
`,
}

export const refusedRegistrations: Migration = {
  name: 'refused-calls/3-method',
  after: [refusedCallsByTime],
  statements: () => `
alter table refused_calls add column method text not null default 'INVITE';
`,
}
