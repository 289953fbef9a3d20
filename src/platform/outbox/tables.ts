import type { ClaimColumns } from '../database/claims.js'
import type { Migration } from '../database/migration.js'
import type { Generated, UrlsJsonColumn } from '../database/tables.js'

declare module '../database/tables.js' {
  interface Tables {
    outbox: OutboxTable
  }
}

/** The node that has claimed a row delivers it. */
export interface OutboxTable extends ClaimColumns {
  id: Generated<number>
  /** The name of the channel that delivers the row. */
  channel: string
  /** The stream; its rows are sent strictly in order. */
  stream: string
  accountSid: string
  kind: string
  /** The content that the channel delivers, JSON. */
  payload: UrlsJsonColumn
  /** Token sent with every attempt. */
  idempotencyToken: string
  createdAt: number
  /** State; a `waiting` row is behind a pending row of its stream. */
  state: 'pending' | 'waiting' | 'delivered' | 'dead' | 'dropped'
  nextAttemptAt: number
  attempts: number
  lastStatus: number | null
  lastError: string | null
}

export const outboxBaseline: Migration = {
  name: 'outbox/1-baseline',
  statements: ({ serial }) => `
create table outbox (
  id ${serial},
  channel text not null,
  stream text not null,
  "accountSid" text not null,
  kind text not null,
  payload text not null,
  "idempotencyToken" text not null,
  "createdAt" bigint not null,
  state text not null,
  "nextAttemptAt" bigint not null,
  attempts integer not null,
  "claimedBy" text,
  "claimedUntil" bigint,
  "lastStatus" integer,
  "lastError" text
);
create index outbox_pending on outbox ("accountSid", "nextAttemptAt", id) where state = 'pending';
create unique index outbox_heads on outbox (stream) where state = 'pending';
create index outbox_waiting on outbox (stream, id) where state = 'waiting';
create index outbox_dead on outbox (stream, id) where state = 'dead';
`,
}
