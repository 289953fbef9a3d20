import type { Migration } from '../../../platform/database/migration.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    recording_archive: RecordingArchiveTable
  }
}

export interface RecordingArchiveTable {
  sid: string
  /** The name of the node that has the file. */
  node: string
  accountSid: string
  callSid: string
  action: 'upload' | 'delete'
  state: 'pending' | 'stored' | 'given-up'
  /** The URL of the object once it may exist; null before. */
  url: string | null
  region: string | null
  attempts: number
  nextAttemptAt: number
  /** The error number of the last failed attempt; null without one. */
  errorCode: number | null
  createdAt: number
}

export const recordingArchiveBaseline: Migration = {
  name: 'recording-archive/1-baseline',
  statements: ({ byKey }) => `
create table recording_archive (
  sid text primary key,
  node text not null,
  "accountSid" text not null,
  "callSid" text not null,
  action text not null,
  state text not null,
  url text,
  region text,
  attempts integer not null,
  "nextAttemptAt" bigint not null,
  "errorCode" integer,
  "createdAt" bigint not null
)${byKey};
create index recording_archive_due on recording_archive (node, "nextAttemptAt") where state = 'pending';
`,
}
