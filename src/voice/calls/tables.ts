import type { Migration } from '../../platform/database/migration.js'
import { idempotencyBaseline } from '../../platform/idempotency/tables.js'
import { callsBaseline } from '../model/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    call_counts: CallCountsTable
    live_dialogs: LiveDialogsTable
  }
}

/** The number of calls of each account, which the database itself keeps. */
export interface CallCountsTable {
  account_sid: string
  calls: number
}

/** The dialogs of live calls, and of ended calls that are still owed a BYE. */
export interface LiveDialogsTable {
  call_sid: string
  /** The DialogFacts as JSON. */
  facts: string
}

export const callLifeBaseline: Migration = {
  name: 'call-life/1-baseline',
  after: [callsBaseline],
  statements: ({ byKey, countRows }) => `
create table call_counts (
  account_sid text primary key,
  calls integer not null
)${byKey};
${countRows({
  table: 'calls',
  counts: 'call_counts',
  column: 'calls',
  groups: { account_sid: (row) => `${row}.account_sid` },
})}
create table live_dialogs (
  call_sid text primary key,
  facts text not null
)${byKey};
create table idempotency_keys (
  account_sid text not null,
  key text not null,
  call_sid text not null,
  created_at bigint not null,
  primary key (account_sid, key)
)${byKey};
create index idempotency_keys_by_age on idempotency_keys (created_at);
`,
}

/** Drops the table of call keys: the keys of requests are kept for all APIs in one table. */
export const callKeysMoved: Migration = {
  name: 'call-life/2-keys-moved',
  after: [callLifeBaseline, idempotencyBaseline],
  statements: () => `
insert into idempotent_requests (caller, key, request, status, outcome, created_at)
select account_sid, key, '', 201, call_sid, created_at from idempotency_keys;
drop table idempotency_keys;
`,
}
