import type { Migration } from '../platform/database/migration.js'
import type { UrlColumn } from '../platform/database/tables.js'
import { messagesBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_media: MessageMediaTable
  }
}

/** Media of messages. `file` and the columns that depend on it are null until the media is fetched. */
export interface MessageMediaTable {
  sid: string
  messageSid: string
  accountSid: string
  /** Index among the media of the message, from 0. */
  position: number
  /** Source URL; null for a file that was already stored. */
  sourceUrl: UrlColumn<null>
  file: string | null
  contentType: string | null
  bytes: number | null
  /** Number of failed fetch attempts. */
  attempts: number
  createdAt: number
  updatedAt: number
}

export const messageMediaBaseline: Migration = {
  name: 'messages/5-media',
  after: [messagesBaseline],
  statements: ({ byKey }) => `
create table message_media (
  sid text primary key,
  "messageSid" text not null references messages (sid) on delete cascade,
  "accountSid" text not null,
  position integer not null,
  "sourceUrl" text,
  file text,
  "contentType" text,
  bytes bigint,
  attempts integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index message_media_by_message on message_media ("messageSid", position);
create index message_media_by_file on message_media (file);
`,
}
