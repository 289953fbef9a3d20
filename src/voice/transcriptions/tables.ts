import { accountsBaseline } from '../../accounts/tables.js'
import type { Fields } from '../../platform/database/fields.js'
import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    transcriptions: TranscriptionsTable
  }
}

export interface TranscriptionsTable {
  sid: string
  accountSid: string
  recordingSid: string
  status: 'in-progress' | 'completed' | 'failed'
  /** Duration of the transcribed audio; null until known. */
  durationMs: number | null
  /** The transcribed text; null until the transcription is complete. */
  text: string | null
  /** The price in 1/10,000 dollar; null until a transcription with a rate is complete. */
  price: number | null
  createdAt: number
  updatedAt: number
}

/** A transcription of a recording, as stored and shown by the API; times are epoch milliseconds. */
export type Transcription = Fields<TranscriptionsTable>

export const transcriptionsBaseline: Migration = {
  name: 'transcriptions/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table transcriptions (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "recordingSid" text not null,
  status text not null,
  "durationMs" bigint,
  text text,
  price bigint,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index transcriptions_by_account on transcriptions ("accountSid", "createdAt" desc, sid desc);
create index transcriptions_by_recording on transcriptions ("recordingSid", "createdAt" desc, sid desc);
`,
}
