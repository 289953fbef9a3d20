import type { ClaimColumns } from '../../database/claims.js'
import type { Migration } from '../../database/migration.js'

declare module '../../database/tables.js' {
  interface Tables {
    file_transfers: FileTransfersTable
  }
}

/** A file on its way into the bucket, or out of it. Without a row, the bucket has the file. */
export interface FileTransfersTable extends ClaimColumns {
  /** The name of the object: the kind of the file, and the file's own name. */
  name: string
  kind: string
  /** The node that has the file: the only one that can send it. */
  node: string
  action: 'send' | 'remove'
  attempts: number
  nextAttemptAt: number
  /** The number of the last failure; null without one. */
  errorCode: number | null
  createdAt: number
}

export const fileTransfersBaseline: Migration = {
  name: 'file-transfers/1-baseline',
  statements: ({ byKey }) => `
create table file_transfers (
  name text primary key,
  kind text not null,
  node text not null,
  action text not null,
  attempts integer not null,
  "nextAttemptAt" bigint not null,
  "errorCode" integer,
  "claimedBy" text,
  "claimedUntil" bigint,
  "createdAt" bigint not null
)${byKey};
create index file_transfers_due on file_transfers (node, "nextAttemptAt");
create index file_transfers_removals on file_transfers ("nextAttemptAt") where action = 'remove';
`,
}
