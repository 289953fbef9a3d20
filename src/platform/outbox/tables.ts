import type { Migration } from '../database/migration.js'
import type { Generated } from '../database/tables.js'

declare module '../database/tables.js' {
  interface Tables {
    outbox: OutboxTable
  }
}

export interface OutboxTable {
  id: Generated<number>
  /** Rows of one stream go out strictly in order: the call's sid. */
  stream: string
  account_sid: string
  kind: string
  url: string
  method: string
  /** Ordered [name, value] pairs, JSON. */
  params: string
  created_at: number
  next_attempt_at: number
  attempts: number
  /** `waiting`: behind a pending row of its stream. */
  state: 'pending' | 'waiting' | 'delivered' | 'dead'
  last_status: number | null
  last_error: string | null
  idempotency_token: string
}

export const outboxBaseline: Migration = {
  name: 'outbox/1-baseline',
  statements: ({ serial }) => `
create table outbox (
  id ${serial},
  stream text not null,
  account_sid text not null,
  kind text not null,
  url text not null,
  method text not null,
  params text not null,
  created_at bigint not null,
  next_attempt_at bigint not null,
  attempts integer not null,
  state text not null,
  last_status integer,
  last_error text,
  idempotency_token text not null
);
create index outbox_pending on outbox (account_sid, next_attempt_at, id) where state = 'pending';
create index outbox_by_stream on outbox (stream, id);
`,
}
