import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    queues: QueueRecord
    queue_members: QueueMembersTable
  }
}

/**
 * A queue as stored; times are epoch milliseconds. Only the running process knows the order of its callers.
 */
export interface QueueRecord {
  readonly sid: string
  readonly accountSid: string
  readonly friendlyName: string
  readonly maxSize: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The callers in a queue, and the callers that a queue has connected, one row each. */
export interface QueueMembersTable {
  callSid: string
  accountSid: string
  queueSid: string
  enqueuedAt: number
  bridgedAt: number | null
  actionUrl: UrlColumn<null>
  actionMethod: WebhookMethod
}

export const queuesBaseline: Migration = {
  name: 'queues/1-baseline',
  statements: ({ byKey }) => `
create table queues (
  sid text primary key,
  "accountSid" text not null,
  "friendlyName" text not null,
  "maxSize" integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index queues_by_name on queues ("accountSid", "friendlyName");
create index queues_by_account on queues ("accountSid", "createdAt" desc, sid desc);
create table queue_members (
  "callSid" text primary key,
  "accountSid" text not null,
  "queueSid" text not null,
  "enqueuedAt" bigint not null,
  "bridgedAt" bigint,
  "actionUrl" text,
  "actionMethod" text not null
)${byKey};
create index queue_members_by_queue on queue_members ("queueSid");
`,
}
