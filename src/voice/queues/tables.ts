import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    queues: QueuesTable
    queue_members: QueueMembersTable
  }
}

export interface QueuesTable {
  sid: string
  account_sid: string
  friendly_name: string
  max_size: number
  created_at: number
  updated_at: number
}

/** The callers in a queue, and the callers that a queue has connected, one row each. */
export interface QueueMembersTable {
  call_sid: string
  account_sid: string
  queue_sid: string
  enqueued_at: number
  bridged_at: number | null
  action_url: UrlColumn<null>
  action_method: WebhookMethod
}

export const queuesBaseline: Migration = {
  name: 'queues/1-baseline',
  statements: ({ byKey }) => `
create table queues (
  sid text primary key,
  account_sid text not null,
  friendly_name text not null,
  max_size integer not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index queues_by_name on queues (account_sid, friendly_name);
create index queues_by_account on queues (account_sid, created_at desc, sid desc);
create table queue_members (
  call_sid text primary key,
  account_sid text not null,
  queue_sid text not null,
  enqueued_at bigint not null,
  bridged_at bigint,
  action_url text,
  action_method text not null
)${byKey};
create index queue_members_by_queue on queue_members (queue_sid);
`,
}
