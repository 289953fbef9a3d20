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
  accountSid: string
  /** Subject of the rate: calls by direction, or outbound messages. */
  direction: 'inbound' | 'outbound' | 'sms' | 'mms'
  /** `+` and digits; `+` alone is the beginning of every number. */
  prefix: string
  /** For a minute of a call, or a segment of a message. */
  perMinute: number
  minimumSeconds: number
  incrementSeconds: number
  description: string
  updatedAt: number
}

/** The rate fields of accounts, in millionths of a dollar; null: not set. */
export interface AccountRatesTable {
  /** The account that the rates are for; empty for everybody. */
  accountSid: string
  fax: number | null
  sms: number | null
  mms: number | null
  tfAdj: number | null
  lrn: number | null
  nibble: number | null
  did: number | null
  cnam: number | null
  intlMax: number | null
  recording: number | null
  transcription: number | null
  updatedAt: number
}

/** One record for each call that has ended. */
export interface CdrsTable {
  /** 40 hex digits, made of the sid of the call. */
  id: string
  callSid: string
  /** The account that made or took the call, and the one that pays for it. */
  accountSid: string
  billedSid: string
  direction: 'inbound' | 'outbound'
  status: string
  /** The address that an inbound call came from, or that answered an outbound one. */
  ip: string
  callerName: string
  caller: string
  destination: string
  durationSeconds: number
  billedSeconds: number
  /** The rate for a minute, in millionths of a dollar; null for a call without a rate. */
  perMinute: number | null
  /** The billed amount, in 1/10,000 dollar. */
  amount: number
  startedAt: number
  endedAt: number
}

export const ratingBaseline: Migration = {
  name: 'rating/1-baseline',
  statements: ({ byKey }) => `
create table rates (
  "accountSid" text not null,
  direction text not null,
  prefix text not null,
  "perMinute" bigint not null,
  "minimumSeconds" integer not null,
  "incrementSeconds" integer not null,
  description text not null,
  "updatedAt" bigint not null,
  primary key ("accountSid", direction, prefix)
)${byKey};
create table account_rates (
  "accountSid" text primary key,
  fax bigint,
  sms bigint,
  mms bigint,
  "tfAdj" bigint,
  lrn bigint,
  nibble bigint,
  did bigint,
  cnam bigint,
  "intlMax" bigint,
  recording bigint,
  transcription bigint,
  "updatedAt" bigint not null
)${byKey};
create table cdrs (
  id text primary key,
  "callSid" text not null,
  "accountSid" text not null,
  "billedSid" text not null,
  direction text not null,
  status text not null,
  ip text not null,
  "callerName" text not null,
  caller text not null,
  destination text not null,
  "durationSeconds" integer not null,
  "billedSeconds" integer not null,
  "perMinute" bigint,
  amount bigint not null,
  "startedAt" bigint not null,
  "endedAt" bigint not null
)${byKey};
create index cdrs_by_account on cdrs ("accountSid", "startedAt" desc, id desc);
`,
}
