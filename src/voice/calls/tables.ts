import type { Migration } from '../../platform/database/migration.js'
import { callsBaseline } from '../model/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    call_counts: CallCountsTable
    live_dialogs: LiveDialogsTable
  }
}

/** The number of calls of each account, which database triggers keep up to date. */
export interface CallCountsTable {
  accountSid: string
  calls: number
}

/**
 * The dialogs and open INVITEs of live calls, and of ended calls that still need a BYE, a CANCEL or a final
 * response.
 */
export interface LiveDialogsTable {
  callSid: string
  /** LegFacts as JSON. */
  facts: string
}

export const callLifeBaseline: Migration = {
  name: 'call-life/1-baseline',
  after: [callsBaseline],
  statements: ({ byKey, countRows }) => `
create table call_counts (
  "accountSid" text primary key,
  calls integer not null
)${byKey};
${countRows({
  table: 'calls',
  counts: 'call_counts',
  column: 'calls',
  groups: { accountSid: (row) => `${row}."accountSid"` },
})}
create table live_dialogs (
  "callSid" text primary key,
  facts text not null
)${byKey};
`,
}
