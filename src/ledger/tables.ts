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
  account_sid: string
  /** The sum of the account's entries, changed in the transaction of each entry. */
  amount: number
  /** The sum of the account's reservations. */
  reserved: number
  /** 1 from the entry that brought the balance below the threshold until it is reached again. */
  is_low: number
  updated_at: number
}

/** Append-only: an entry is never changed or removed. */
export interface LedgerEntriesTable {
  id: Generated<number>
  /** The name of what the entry is for. One thing has one entry, whatever is repeated. */
  entry_key: string
  /** The account that pays. */
  account_sid: string
  /** The account that caused the entry: the paying one, or one of its sub-accounts. */
  origin_sid: string
  cause: Cause
  /** The finer kind within the cause; empty when there is none. */
  kind: string
  /** The sid or number that the entry is about. */
  reference: string
  /** Positive for money that comes in, negative for a charge. */
  amount: number
  description: string
  created_at: number
}

/** Money that is kept for a call under way. */
export interface LedgerReservationsTable {
  /** The sid of the call. */
  reference: string
  account_sid: string
  amount: number
  created_at: number
  /** The time of the last renewal, at which the call was still up. */
  updated_at: number
  /** A reservation that is older was left by a node that does not come back. */
  expires_at: number
}

export interface LedgerCreditsTable {
  sid: string
  account_sid: string
  amount: number
  description: string
  /** 1 when the customer has paid the invoice. */
  paid: number
  created_at: number
  paid_at: number | null
}

export interface LedgerPaymentsTable {
  sid: string
  account_sid: string
  amount: number
  payer_email: string
  /** The transaction of the payment provider, or a name that the operator gives. */
  transaction_id: string
  status: PaymentStatus
  /** The number of changes of the status; it names the entries of the payment. */
  changes: number
  created_at: number
  updated_at: number
}

export interface LedgerRecurringChargesTable {
  sid: string
  account_sid: string
  /** The amount of a whole month. */
  amount: number
  description: string
  /** The sid or number that the charge is for; empty when there is none. */
  reference: string
  started_at: number
  ended_at: number | null
  /** The beginning of the next month to charge; null once the charge has ended. */
  next_at: number | null
}

export const ledgerBaseline: Migration = {
  name: 'ledger/1-baseline',
  statements: ({ byKey, serial }) => `
create table ledger_balances (
  account_sid text primary key,
  amount bigint not null,
  reserved bigint not null,
  is_low integer not null,
  updated_at bigint not null
)${byKey};
create table ledger_entries (
  id ${serial},
  entry_key text not null unique,
  account_sid text not null,
  origin_sid text not null,
  cause text not null,
  kind text not null,
  reference text not null,
  amount bigint not null,
  description text not null,
  created_at bigint not null
);
create index ledger_entries_by_account on ledger_entries (account_sid, created_at desc, id desc);
create index ledger_entries_by_origin
  on ledger_entries (origin_sid, cause, created_at desc, id desc);
create table ledger_reservations (
  reference text primary key,
  account_sid text not null,
  amount bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null
)${byKey};
create index ledger_reservations_by_account on ledger_reservations (account_sid);
create index ledger_reservations_by_end on ledger_reservations (expires_at);
`,
}

export const billingBaseline: Migration = {
  name: 'ledger/2-billing',
  statements: ({ byKey }) => `
create table ledger_credits (
  sid text primary key,
  account_sid text not null,
  amount bigint not null,
  description text not null,
  paid integer not null,
  created_at bigint not null,
  paid_at bigint
)${byKey};
create index ledger_credits_by_account on ledger_credits (account_sid, created_at desc, sid desc);
create table ledger_payments (
  sid text primary key,
  account_sid text not null,
  amount bigint not null,
  payer_email text not null,
  transaction_id text not null unique,
  status text not null,
  changes integer not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create index ledger_payments_by_account on ledger_payments (account_sid, created_at desc, sid desc);
create table ledger_recurring_charges (
  sid text primary key,
  account_sid text not null,
  amount bigint not null,
  description text not null,
  reference text not null,
  started_at bigint not null,
  ended_at bigint,
  next_at bigint
)${byKey};
create index ledger_recurring_charges_by_account
  on ledger_recurring_charges (account_sid, started_at, sid);
create index ledger_recurring_charges_by_reference on ledger_recurring_charges (reference)
  where ended_at is null;
create index ledger_recurring_charges_due on ledger_recurring_charges (next_at)
  where next_at is not null;
`,
}
