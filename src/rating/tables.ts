import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    rates: RatesTable
    account_rates: AccountRatesTable
    cdrs: CdrsTable
  }
}

/** The rates of calls and messages by the beginning of a number, in millionths of a dollar. */
export interface RatesTable {
  /** The account that the rate is for; empty for everybody. */
  account_sid: string
  /** What it is for: calls by their direction, or messages that are sent. */
  direction: 'inbound' | 'outbound' | 'sms' | 'mms'
  /** `+` and digits; `+` alone is the beginning of every number. */
  prefix: string
  /** For a minute of a call, or a segment of a message. */
  per_minute: number
  minimum_seconds: number
  increment_seconds: number
  description: string
  updated_at: number
}

/** The rate fields of accounts, in millionths of a dollar; null: not set. */
export interface AccountRatesTable {
  /** The account that the rates are for; empty for everybody. */
  account_sid: string
  fax: number | null
  sms: number | null
  mms: number | null
  tf_adj: number | null
  lrn: number | null
  nibble: number | null
  did: number | null
  cnam: number | null
  intl_max: number | null
  recording: number | null
  transcription: number | null
  updated_at: number
}

/** One record for each call that has ended. */
export interface CdrsTable {
  /** 40 hex digits, made of the sid of the call. */
  id: string
  call_sid: string
  /** The account that made or took the call, and the one that pays for it. */
  account_sid: string
  billed_sid: string
  direction: 'inbound' | 'outbound'
  status: string
  /** The address that an inbound call came from, or that answered an outbound one. */
  ip: string
  caller_name: string
  caller: string
  destination: string
  duration_seconds: number
  billed_seconds: number
  /** The rate for a minute, in millionths of a dollar; null for a call without a rate. */
  per_minute: number | null
  /** The billed amount, in 1/10,000 dollar. */
  amount: number
  started_at: number
  ended_at: number
}

export const ratingBaseline: Migration = {
  name: 'rating/1-baseline',
  statements: ({ byKey }) => `
create table rates (
  account_sid text not null,
  direction text not null,
  prefix text not null,
  per_minute bigint not null,
  minimum_seconds integer not null,
  increment_seconds integer not null,
  description text not null,
  updated_at bigint not null,
  primary key (account_sid, direction, prefix)
)${byKey};
create table account_rates (
  account_sid text primary key,
  fax bigint,
  sms bigint,
  mms bigint,
  tf_adj bigint,
  lrn bigint,
  nibble bigint,
  did bigint,
  cnam bigint,
  intl_max bigint,
  recording bigint,
  transcription bigint,
  updated_at bigint not null
)${byKey};
create table cdrs (
  id text primary key,
  call_sid text not null,
  account_sid text not null,
  billed_sid text not null,
  direction text not null,
  status text not null,
  ip text not null,
  caller_name text not null,
  caller text not null,
  destination text not null,
  duration_seconds integer not null,
  billed_seconds integer not null,
  per_minute bigint,
  amount bigint not null,
  started_at bigint not null,
  ended_at bigint not null
)${byKey};
create index cdrs_by_account on cdrs (account_sid, started_at desc, id desc);
`,
}
