import type { Migration } from '../../platform/database/migration.js'
import type { Generated } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    call_events: CallEventsTable
  }
}

export interface CallEventsTable {
  id: Generated<number>
  callSid: string
  accountSid: string
  /** Name of the node where the event happened. */
  node: string
  at: number
  kind: string
  /** The event's details as JSON, with secrets masked and long strings cut. */
  detail: string
}

export const callEventsBaseline: Migration = {
  name: 'call-events/1-baseline',
  statements: ({ serial }) => `
create table call_events (
  id ${serial},
  "callSid" text not null,
  "accountSid" text not null,
  node text not null,
  at bigint not null,
  kind text not null,
  detail text not null
);
create index call_events_by_call on call_events ("callSid", id);
`,
}
