import type { Migration } from '../platform/database/migration.js'
import type { UrlColumn } from '../platform/database/tables.js'
import { messagesBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_media: MessageMediaTable
  }
}

/** The media of messages. `file` and what follows from it are null until the media was fetched. */
export interface MessageMediaTable {
  sid: string
  messageSid: string
  accountSid: string
  /** The place among the media of the message, from 0. */
  position: number
  /** The URL that it is fetched from; null for a file that was stored already. */
  sourceUrl: UrlColumn<null>
  file: string | null
  contentType: string | null
  bytes: number | null
  /** The attempts to fetch it that have failed. */
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
