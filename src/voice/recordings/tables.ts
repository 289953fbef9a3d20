import type { Migration } from '../../platform/database/migration.js'
import type { UrlsJsonColumn } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    recordings: RecordingsTable
  }
}

export interface RecordingsTable {
  sid: string
  account_sid: string
  call_sid: string
  /** The sid of the recorded conference; null for the recording of a call. */
  conference_sid: string | null
  status: string
  source: string
  channels: number
  track: string
  trim: string
  /** The maximum length; null without a limit. */
  max_ms: number | null
  /** The RecordingCallback as JSON; null without one. */
  callback: UrlsJsonColumn<null>
  started_at: number
  /** The length of the finished file. */
  duration_ms: number | null
  error_code: number | null
  /** The price in 1/10,000 dollar, once a recording with a rate is complete. */
  price: number | null
  created_at: number
  updated_at: number
}

export const recordingsBaseline: Migration = {
  name: 'recordings/1-baseline',
  statements: ({ byKey }) => `
create table recordings (
  sid text primary key,
  account_sid text not null,
  call_sid text not null,
  status text not null,
  source text not null,
  channels integer not null,
  track text not null,
  trim text not null,
  max_ms bigint,
  callback text,
  started_at bigint not null,
  duration_ms bigint,
  error_code integer,
  created_at bigint not null,
  updated_at bigint not null,
  conference_sid text,
  price bigint
)${byKey};
create index recordings_by_account on recordings (account_sid, created_at desc, sid desc);
create index recordings_by_call on recordings (call_sid, created_at desc, sid desc);
create index recordings_unfinished on recordings (status)
  where status in ('in-progress', 'paused', 'stopped', 'processing');
create index recordings_by_conference on recordings (conference_sid, created_at desc, sid desc)
  where conference_sid is not null;
`,
}
