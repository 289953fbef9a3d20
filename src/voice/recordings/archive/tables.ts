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
  account_sid: string
  call_sid: string
  action: 'upload' | 'delete'
  state: 'pending' | 'stored' | 'given-up'
  /** The URL of the object once it may exist; null before. */
  url: string | null
  region: string | null
  attempts: number
  next_attempt_at: number
  /** The error number of the last failed attempt; null without one. */
  error_code: number | null
  created_at: number
}

export const recordingArchiveBaseline: Migration = {
  name: 'recording-archive/1-baseline',
  statements: ({ byKey }) => `
create table recording_archive (
  sid text primary key,
  node text not null,
  account_sid text not null,
  call_sid text not null,
  action text not null,
  state text not null,
  url text,
  region text,
  attempts integer not null,
  next_attempt_at bigint not null,
  error_code integer,
  created_at bigint not null
)${byKey};
create index recording_archive_due on recording_archive (node, next_attempt_at) where state = 'pending';
`,
}
