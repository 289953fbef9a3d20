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
  /** The stream, whose rows go out strictly in order. */
  stream: string
  account_sid: string
  kind: string
  /** The content that the channel delivers, JSON. */
  payload: UrlsJsonColumn
  /** The token that every attempt carries. */
  idempotency_token: string
  created_at: number
  /** The state; a `waiting` row stands behind a pending row of its stream. */
  state: 'pending' | 'waiting' | 'delivered' | 'dead' | 'dropped'
  next_attempt_at: number
  attempts: number
  last_status: number | null
  last_error: string | null
}

export const outboxBaseline: Migration = {
  name: 'outbox/1-baseline',
  statements: ({ serial }) => `
create table outbox (
  id ${serial},
  channel text not null,
  stream text not null,
  account_sid text not null,
  kind text not null,
  payload text not null,
  idempotency_token text not null,
  created_at bigint not null,
  state text not null,
  next_attempt_at bigint not null,
  attempts integer not null,
  claimed_by text,
  claimed_until bigint,
  last_status integer,
  last_error text
);
create index outbox_pending on outbox (account_sid, next_attempt_at, id) where state = 'pending';
create unique index outbox_heads on outbox (stream) where state = 'pending';
create index outbox_waiting on outbox (stream, id) where state = 'waiting';
create index outbox_dead on outbox (stream, id) where state = 'dead';
`,
}
