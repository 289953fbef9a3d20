import type { Migration } from '../../../platform/database/migration.js'
import type { StreamColumns } from '../../../platform/database/stream-order.js'
import type { Generated } from '../../../platform/database/tables.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_jobs: RegistryJobsTable
    registry_messages: RegistryMessagesTable
  }
}

/** The node that has claimed a job runs it. */
export interface RegistryJobsTable extends StreamColumns {
  id: Generated<number>
  kind: string
  subject: string
  dueAt: number
  attempts: number
}

export interface RegistryMessagesTable {
  id: Generated<number>
  kind: string
  recipient: string
  subject: string
  bodySealed: string
  reference: string
  status: string
  createdAt: number
}

export const registryJobsBaseline: Migration = {
  name: 'registry-jobs/1-baseline',
  statements: ({ serial }) => `
create table registry_jobs (
  id ${serial},
  kind text not null,
  subject text not null,
  "dueAt" bigint not null,
  attempts integer not null,
  "claimedBy" text,
  "claimedUntil" bigint
);
create index registry_jobs_due on registry_jobs ("dueAt", id);
create index registry_jobs_by_subject on registry_jobs (subject, kind);
create table registry_messages (
  id ${serial},
  kind text not null,
  recipient text not null,
  subject text not null,
  "bodySealed" text not null,
  reference text not null,
  status text not null,
  "createdAt" bigint not null
);
create index registry_messages_by_recipient on registry_messages (recipient, id);
`,
}

/** Changes that have to reach the registry above in the order in which they were made here. */
export const registryJobStreams: Migration = {
  name: 'registry-jobs/2-streams',
  after: [registryJobsBaseline],
  statements: () => `
alter table registry_jobs add column stream text;
alter table registry_jobs add column part text;
create index registry_jobs_by_stream on registry_jobs (stream, id) where stream is not null;
`,
}
