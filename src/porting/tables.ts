import { accountsBaseline } from '../accounts/tables.js'
import type { ClaimColumns } from '../platform/database/claims.js'
import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'
import type { PortKind, PortState } from './port.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    port_tickets: PortTicketsTable
    ports: PortsTable
    port_numbers: PortNumbersTable
    port_history: PortHistoryTable
    port_letters: PortLettersTable
    port_checks: PortChecksTable
    port_outs: PortOutsTable
  }
}

/** Submissions; the id is the support ticket's number. */
export interface PortTicketsTable {
  id: Generated<number>
  accountSid: string
  createdAt: number
}

export interface PortsTable extends ClaimColumns {
  sid: string
  accountSid: string
  pid: string
  ticket: number
  kind: PortKind
  state: PortState
  /** 1 once the letter of authorisation is stored or not required. */
  isSigned: number
  /** The committed port date, `YYYY-MM-DD`. */
  foc: string | null
  /** Number of changes, for optimistic locking: a change is stored only over the previous one. */
  changes: number
  message: string
  /** The subscriber, JSON. */
  subscriber: string
  pinSealed: string | null
  losingCarrier: string
  /** Time of the next request to the carrier; null while none is due. */
  nextAt: number | null
  enteredAt: number
  createdAt: number
  updatedAt: number
}

export interface PortNumbersTable {
  portSid: string
  phoneNumber: string
  /** The number while the port is open, unique among open ports; then null. */
  openNumber: string | null
  /** The features to set, JSON. */
  features: string
}

export interface PortHistoryTable {
  portSid: string
  /** Sequence number of the change. */
  change: number
  state: PortState
  actor: 'customer' | 'operator' | 'carrier'
  message: string
  foc: string | null
  at: number
}

/** Letters of authorisation; the content is a file. */
export interface PortLettersTable {
  uuid: string
  portSid: string
  fileName: string
  mimeType: string
  bytes: number
  createdAt: number
}

/** The latest portability check of each number. */
export interface PortChecksTable {
  phoneNumber: string
  isPortable: number
  /** Reason why the number is not portable, for the customer. */
  reason: string | null
  losingCarrier: string
  routingNumber: string | null
  rateCenterTier: string | null
  checkedAt: number
}

/** Port-outs: numbers that other carriers take over or have taken over. */
export interface PortOutsTable {
  sid: string
  accountSid: string
  phoneNumber: string
  /** The number while the port-out is pending, unique among pending ones; then null. */
  openNumber: string | null
  gainingCarrier: string
  state: 'pending' | 'complete' | 'cancelled'
  createdAt: number
  updatedAt: number
}

export const portingBaseline: Migration = {
  name: 'porting/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey, serial }) => `
create table port_tickets (
  id ${serial},
  "accountSid" text not null references accounts (sid),
  "createdAt" bigint not null
);
create table ports (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  pid text not null unique,
  ticket bigint not null,
  kind text not null,
  state text not null,
  "isSigned" integer not null,
  foc text,
  changes integer not null,
  message text not null,
  subscriber text not null,
  "pinSealed" text,
  "losingCarrier" text not null,
  "nextAt" bigint,
  "enteredAt" bigint not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  "claimedBy" text,
  "claimedUntil" bigint
)${byKey};
create index ports_by_account on ports ("accountSid", "createdAt" desc, sid desc);
create index ports_by_state on ports (state, "createdAt" desc, sid desc);
create index ports_due on ports ("nextAt", sid) where "nextAt" is not null;
create table port_numbers (
  "portSid" text not null references ports (sid),
  "phoneNumber" text not null,
  "openNumber" text unique,
  features text not null,
  primary key ("portSid", "phoneNumber")
)${byKey};
create index port_numbers_by_number on port_numbers ("phoneNumber");
create table port_history (
  "portSid" text not null references ports (sid),
  change integer not null,
  state text not null,
  actor text not null,
  message text not null,
  foc text,
  at bigint not null,
  primary key ("portSid", change)
)${byKey};
`,
}

export const portRecordsBaseline: Migration = {
  name: 'porting/2-records',
  after: [portingBaseline],
  statements: ({ byKey }) => `
create table port_letters (
  uuid text primary key,
  "portSid" text not null references ports (sid),
  "fileName" text not null,
  "mimeType" text not null,
  bytes bigint not null,
  "createdAt" bigint not null
)${byKey};
create index port_letters_by_port on port_letters ("portSid", "createdAt");
create table port_checks (
  "phoneNumber" text primary key,
  "isPortable" integer not null,
  reason text,
  "losingCarrier" text not null,
  "routingNumber" text,
  "rateCenterTier" text,
  "checkedAt" bigint not null
)${byKey};
create index port_checks_by_time on port_checks ("checkedAt");
create table port_outs (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "phoneNumber" text not null,
  "openNumber" text unique,
  "gainingCarrier" text not null,
  state text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index port_outs_by_account on port_outs ("accountSid", "createdAt" desc, sid desc);
`,
}
