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
  message_sid: string
  account_sid: string
  /** The place among the media of the message, from 0. */
  position: number
  /** The URL that it is fetched from; null for a file that was stored already. */
  source_url: UrlColumn<null>
  file: string | null
  content_type: string | null
  bytes: number | null
  /** The attempts to fetch it that have failed. */
  attempts: number
  created_at: number
  updated_at: number
}

export const messageMediaBaseline: Migration = {
  name: 'messages/5-media',
  after: [messagesBaseline],
  statements: ({ byKey }) => `
create table message_media (
  sid text primary key,
  message_sid text not null references messages (sid) on delete cascade,
  account_sid text not null,
  position integer not null,
  source_url text,
  file text,
  content_type text,
  bytes bigint,
  attempts integer not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index message_media_by_message on message_media (message_sid, position);
create index message_media_by_file on message_media (file);
`,
}
