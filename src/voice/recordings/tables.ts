import type { Migration } from '../../platform/database/migration.js'
import type { UrlsJsonColumn } from '../../platform/database/tables.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { RecordingSource, RecordingWish } from '../model/recording-wish.js'
import type { RecordingStatus } from './recording-record.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    recordings: RecordingsTable
  }
}

export interface RecordingsTable {
  sid: string
  accountSid: string
  /** Sid of the recorded call; for a conference, of the participant's call that requested it. */
  callSid: string
  /** Sid of the recorded conference; null for the recording of a call. */
  conferenceSid: string | null
  status: RecordingStatus
  source: RecordingSource
  channels: number
  track: RecordingWish['track']
  trim: RecordingWish['trim']
  /** Maximum duration, ms; null without a limit. */
  maxMs: number | null
  /** The RecordingCallback as JSON; null without one. */
  callback: UrlsJsonColumn<null>
  startedAt: number
  /** Duration of the finished file, ms. */
  durationMs: number | null
  errorCode: ErrorNumber | null
  /** Price in 1/10,000 dollar, set once a recording with a rate is complete. */
  price: number | null
  createdAt: number
  updatedAt: number
}

export const recordingsBaseline: Migration = {
  name: 'recordings/1-baseline',
  statements: ({ byKey }) => `
create table recordings (
  sid text primary key,
  "accountSid" text not null,
  "callSid" text not null,
  status text not null,
  source text not null,
  channels integer not null,
  track text not null,
  trim text not null,
  "maxMs" bigint,
  callback text,
  "startedAt" bigint not null,
  "durationMs" bigint,
  "errorCode" integer,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  "conferenceSid" text,
  price bigint
)${byKey};
create index recordings_by_account on recordings ("accountSid", "createdAt" desc, sid desc);
create index recordings_by_call on recordings ("callSid", "createdAt" desc, sid desc);
create index recordings_unfinished on recordings (status)
  where status in ('in-progress', 'paused', 'stopped', 'processing');
create index recordings_by_conference on recordings ("conferenceSid", "createdAt" desc, sid desc)
  where "conferenceSid" is not null;
`,
}
