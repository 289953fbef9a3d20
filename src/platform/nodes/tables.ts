import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    nodes: NodesTable
  }
}

/** The nodes that share the database, and what is left of those that were declared dead. */
export interface NodesTable {
  /** The name of a node; for what a dead node left, a name that no node has. */
  name: string
  /** The process that has the name: another one after each start and after each return. */
  process: string
  /** A count that the process keeps raising while it lives. */
  beats: number
  /** The node that ends what a dead one left; null for a node that lives. */
  recovered_by: string | null
}

export const nodesBaseline: Migration = {
  name: 'nodes/1-baseline',
  statements: ({ byKey }) => `
create table nodes (
  name text primary key,
  process text not null,
  beats bigint not null,
  recovered_by text
)${byKey};
`,
}
