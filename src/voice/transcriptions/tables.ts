import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    transcriptions: TranscriptionsTable
  }
}

export interface TranscriptionsTable {
  sid: string
  account_sid: string
  recording_sid: string
  status: 'in-progress' | 'completed' | 'failed'
  /** The length of the transcribed sound; null until it is known. */
  duration_ms: number | null
  /** What was said; null until the transcription is complete. */
  text: string | null
  /** The price in 1/10,000 dollar, once a transcription with a rate is complete. */
  price: number | null
  created_at: number
  updated_at: number
}

export const transcriptionsBaseline: Migration = {
  name: 'transcriptions/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table transcriptions (
  sid text primary key,
  account_sid text not null references accounts (sid),
  recording_sid text not null,
  status text not null,
  duration_ms bigint,
  text text,
  price bigint,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index transcriptions_by_account on transcriptions (account_sid, created_at desc, sid desc);
create index transcriptions_by_recording on transcriptions (recording_sid, created_at desc, sid desc);
`,
}
