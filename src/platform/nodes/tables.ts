import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    nodes: NodesTable
    node_requests: NodeRequestsTable
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
  recoveredBy: string | null
}

/** What one node has asked of another, until it has the answer. */
export interface NodeRequestsTable {
  id: string
  /** The node that is asked. */
  node: string
  kind: string
  /** Sealed JSON: it may hold passwords that a customer has sent. */
  content: string
  /** Epoch milliseconds. */
  askedAt: number
  /** Null while nobody has begun; whoever withdraws the request or begins it decides by this. */
  takenAt: number | null
  /** Sealed JSON; null until there is one. */
  answer: string | null
}

export const nodesBaseline: Migration = {
  name: 'nodes/1-baseline',
  statements: ({ byKey }) => `
create table nodes (
  name text primary key,
  process text not null,
  beats bigint not null,
  "recoveredBy" text
)${byKey};
create table node_requests (
  id text primary key,
  node text not null,
  kind text not null,
  content text not null,
  "askedAt" bigint not null,
  "takenAt" bigint,
  answer text
)${byKey};
create index node_requests_open on node_requests (node) where "takenAt" is null;
`,
}
