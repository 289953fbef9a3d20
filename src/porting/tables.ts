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

/** Submissions; the id is the number of the support ticket. */
export interface PortTicketsTable {
  id: Generated<number>
  account_sid: string
  created_at: number
}

export interface PortsTable extends ClaimColumns {
  sid: string
  account_sid: string
  pid: string
  ticket: number
  kind: PortKind
  state: PortState
  /** 1 once the letter of authorisation is there, or is not needed. */
  is_signed: number
  /** The committed date, `YYYY-MM-DD`. */
  foc: string | null
  /** The number of changes; a change is stored only over the one before it. */
  changes: number
  message: string
  /** The subscriber, JSON. */
  subscriber: string
  pin_sealed: string | null
  losing_carrier: string
  /** The time at which the carrier is asked next; null while it has nothing to say. */
  next_at: number | null
  entered_at: number
  created_at: number
  updated_at: number
}

export interface PortNumbersTable {
  port_sid: string
  phone_number: string
  /** The number while the port is open, which no other open port has; then null. */
  open_number: string | null
  /** The features to set, JSON. */
  features: string
}

export interface PortHistoryTable {
  port_sid: string
  /** The number of the change. */
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
  port_sid: string
  file_name: string
  mime_type: string
  bytes: number
  created_at: number
}

/** The newest portability check of each number. */
export interface PortChecksTable {
  phone_number: string
  is_portable: number
  /** Why not, for a customer. */
  reason: string | null
  losing_carrier: string
  routing_number: string | null
  rate_center_tier: string | null
  checked_at: number
}

/** Numbers that other carriers take, or have taken. */
export interface PortOutsTable {
  sid: string
  account_sid: string
  phone_number: string
  /** The number while it is under way, which has one port-out at a time; then null. */
  open_number: string | null
  gaining_carrier: string
  state: 'pending' | 'complete' | 'cancelled'
  created_at: number
  updated_at: number
}

export const portingBaseline: Migration = {
  name: 'porting/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey, serial }) => `
create table port_tickets (
  id ${serial},
  account_sid text not null references accounts (sid),
  created_at bigint not null
);
create table ports (
  sid text primary key,
  account_sid text not null references accounts (sid),
  pid text not null unique,
  ticket bigint not null,
  kind text not null,
  state text not null,
  is_signed integer not null,
  foc text,
  changes integer not null,
  message text not null,
  subscriber text not null,
  pin_sealed text,
  losing_carrier text not null,
  next_at bigint,
  entered_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  claimed_by text,
  claimed_until bigint
)${byKey};
create index ports_by_account on ports (account_sid, created_at desc, sid desc);
create index ports_by_state on ports (state, created_at desc, sid desc);
create index ports_due on ports (next_at, sid) where next_at is not null;
create table port_numbers (
  port_sid text not null references ports (sid),
  phone_number text not null,
  open_number text unique,
  features text not null,
  primary key (port_sid, phone_number)
)${byKey};
create index port_numbers_by_number on port_numbers (phone_number);
create table port_history (
  port_sid text not null references ports (sid),
  change integer not null,
  state text not null,
  actor text not null,
  message text not null,
  foc text,
  at bigint not null,
  primary key (port_sid, change)
)${byKey};
`,
}

export const portRecordsBaseline: Migration = {
  name: 'porting/2-records',
  after: [portingBaseline],
  statements: ({ byKey }) => `
create table port_letters (
  uuid text primary key,
  port_sid text not null references ports (sid),
  file_name text not null,
  mime_type text not null,
  bytes bigint not null,
  created_at bigint not null
)${byKey};
create index port_letters_by_port on port_letters (port_sid, created_at);
create table port_checks (
  phone_number text primary key,
  is_portable integer not null,
  reason text,
  losing_carrier text not null,
  routing_number text,
  rate_center_tier text,
  checked_at bigint not null
)${byKey};
create index port_checks_by_time on port_checks (checked_at);
create table port_outs (
  sid text primary key,
  account_sid text not null references accounts (sid),
  phone_number text not null,
  open_number text unique,
  gaining_carrier text not null,
  state text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index port_outs_by_account on port_outs (account_sid, created_at desc, sid desc);
`,
}
