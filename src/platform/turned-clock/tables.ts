import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    turned_clocks: TurnedClocksTable
  }
}

/** The offset of each feature's clock. */
export interface TurnedClocksTable {
  name: string
  turnedByMs: number
}

export const turnedClocksBaseline: Migration = {
  name: 'turned-clocks/1-baseline',
  statements: ({ byKey }) => `
create table turned_clocks (
  name text primary key,
  "turnedByMs" bigint not null
)${byKey};
`,
}
