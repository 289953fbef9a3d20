import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    nodes: NodesTable
    node_requests: NodeRequestsTable
  }
}

/** The nodes that share the database, and the unrecovered work of dead ones. */
export interface NodesTable {
  /** Name of a node; for a dead node's work, a name that no node has. */
  name: string
  /** The process that has the name; a new one after each start and each return. */
  process: string
  /** A counter that the process increments while it lives. */
  beats: number
  /** The node that recovers a dead one's work; null for a live node. */
  recoveredBy: string | null
}

/** Requests of one node to another, until they are answered. */
export interface NodeRequestsTable {
  id: string
  /** The target node. */
  node: string
  kind: string
  /** Sealed JSON: it may hold passwords that a customer has sent. */
  content: string
  /** Epoch milliseconds. */
  askedAt: number
  /** Null while unclaimed; claim and withdrawal both compare it. */
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
