import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'
import type { Cause } from './cause.js'
import type { PaymentStatus } from './payment-status.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    ledger_balances: LedgerBalancesTable
    ledger_entries: LedgerEntriesTable
    ledger_reservations: LedgerReservationsTable
    ledger_credits: LedgerCreditsTable
    ledger_payments: LedgerPaymentsTable
    ledger_recurring_charges: LedgerRecurringChargesTable
  }
}

/** The balance of each account that has entries; amounts are 1/10,000 dollar. */
export interface LedgerBalancesTable {
  accountSid: string
  /** Sum of the account's entries, updated in the transaction of each entry. */
  amount: number
  /** Sum of the account's reservations. */
  reserved: number
  /** 1 from the entry that brought the balance below the threshold until the balance reaches it again. */
  isLow: number
  updatedAt: number
}

/** Append-only: an entry is never changed or removed. */
export interface LedgerEntriesTable {
  id: Generated<number>
  /** Unique name of the charged or credited item. */
  entryKey: string
  /** The paying account. */
  accountSid: string
  /** The account that caused the entry: the paying one or one of its sub-accounts. */
  originSid: string
  cause: Cause
  /** Subtype of the cause; empty when there is none. */
  kind: string
  /** Sid or number of the item. */
  reference: string
  /** Positive for a credit, negative for a charge. */
  amount: number
  description: string
  createdAt: number
}

/** Amounts reserved for calls in progress. */
export interface LedgerReservationsTable {
  /** The sid of the call. */
  reference: string
  accountSid: string
  amount: number
  createdAt: number
  /** Time of the last renewal, at which the call was still in progress. */
  updatedAt: number
  /** After this time the reservation counts as left by a failed node. */
  expiresAt: number
}

export interface LedgerCreditsTable {
  sid: string
  accountSid: string
  amount: number
  description: string
  /** 1 when the customer has paid the invoice. */
  paid: number
  createdAt: number
  paidAt: number | null
}

export interface LedgerPaymentsTable {
  sid: string
  accountSid: string
  amount: number
  payerEmail: string
  /** The payment provider's transaction id, or a name given by the operator. */
  transactionId: string
  status: PaymentStatus
  /** Number of status changes; part of the keys of the payment's entries. */
  changes: number
  createdAt: number
  updatedAt: number
}

export interface LedgerRecurringChargesTable {
  sid: string
  accountSid: string
  /** Amount per whole month. */
  amount: number
  description: string
  /** Sid or number of the charged item; empty when there is none. */
  reference: string
  startedAt: number
  endedAt: number | null
  /** Start of the next month to charge; null once the charge has ended. */
  nextAt: number | null
}

export const ledgerBaseline: Migration = {
  name: 'ledger/1-baseline',
  statements: ({ byKey, serial }) => `
create table ledger_balances (
  "accountSid" text primary key,
  amount bigint not null,
  reserved bigint not null,
  "isLow" integer not null,
  "updatedAt" bigint not null
)${byKey};
create table ledger_entries (
  id ${serial},
  "entryKey" text not null unique,
  "accountSid" text not null,
  "originSid" text not null,
  cause text not null,
  kind text not null,
  reference text not null,
  amount bigint not null,
  description text not null,
  "createdAt" bigint not null
);
create index ledger_entries_by_account on ledger_entries ("accountSid", "createdAt" desc, id desc);
create index ledger_entries_by_origin
  on ledger_entries ("originSid", cause, "createdAt" desc, id desc);
create table ledger_reservations (
  reference text primary key,
  "accountSid" text not null,
  amount bigint not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  "expiresAt" bigint not null
)${byKey};
create index ledger_reservations_by_account on ledger_reservations ("accountSid");
create index ledger_reservations_by_end on ledger_reservations ("expiresAt");
`,
}

export const billingBaseline: Migration = {
  name: 'ledger/2-billing',
  statements: ({ byKey }) => `
create table ledger_credits (
  sid text primary key,
  "accountSid" text not null,
  amount bigint not null,
  description text not null,
  paid integer not null,
  "createdAt" bigint not null,
  "paidAt" bigint
)${byKey};
create index ledger_credits_by_account on ledger_credits ("accountSid", "createdAt" desc, sid desc);
create table ledger_payments (
  sid text primary key,
  "accountSid" text not null,
  amount bigint not null,
  "payerEmail" text not null,
  "transactionId" text not null unique,
  status text not null,
  changes integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index ledger_payments_by_account on ledger_payments ("accountSid", "createdAt" desc, sid desc);
create table ledger_recurring_charges (
  sid text primary key,
  "accountSid" text not null,
  amount bigint not null,
  description text not null,
  reference text not null,
  "startedAt" bigint not null,
  "endedAt" bigint,
  "nextAt" bigint
)${byKey};
create index ledger_recurring_charges_by_account
  on ledger_recurring_charges ("accountSid", "startedAt", sid);
create index ledger_recurring_charges_by_reference on ledger_recurring_charges (reference)
  where "endedAt" is null;
create index ledger_recurring_charges_due on ledger_recurring_charges ("nextAt")
  where "nextAt" is not null;
`,
}
