import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    idempotent_requests: IdempotentRequestsTable
  }
}

export interface IdempotentRequestsTable {
  /** The account or CSP that the key belongs to. */
  caller: string
  key: string
  /** A digest of the request; empty where the key alone identifies the request. */
  request: string
  status: number
  /** Body of the answer, or the sid of the created resource. */
  outcome: string
  createdAt: number
}

export const idempotencyBaseline: Migration = {
  name: 'idempotency/1-baseline',
  statements: ({ byKey }) => `
create table idempotent_requests (
  caller text not null,
  key text not null,
  request text not null,
  status integer not null,
  outcome text not null,
  "createdAt" bigint not null,
  primary key (caller, key)
)${byKey};
create index idempotent_requests_by_age on idempotent_requests ("createdAt");
`,
}
