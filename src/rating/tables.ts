import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    rates: RatesTable
    account_rates: AccountRatesTable
    cdrs: CdrsTable
  }
}

/** Rates of calls and messages by number prefix, in millionths of a dollar. */
export interface RatesTable {
  /** Account of the rate; empty for default rates. */
  accountSid: string
  /** Subject of the rate: calls by direction, or outbound messages. */
  direction: 'inbound' | 'outbound' | 'sms' | 'mms'
  /** `+` and digits; `+` alone matches every number. */
  prefix: string
  /** Rate per minute of a call, or per segment of a message. */
  perMinute: number
  minimumSeconds: number
  incrementSeconds: number
  description: string
  updatedAt: number
}

/** Rate fields of accounts, in millionths of a dollar; null: unset. */
export interface AccountRatesTable {
  /** Account of the rates; empty for default rates. */
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

/** One record per ended call. */
export interface CdrsTable {
  /** 40 hex digits, derived from the call's sid. */
  id: string
  callSid: string
  /** The account of the call, and the one that pays. */
  accountSid: string
  billedSid: string
  direction: 'inbound' | 'outbound'
  status: string
  /** Source address of an inbound call; for an outbound call, the address that answered. */
  ip: string
  callerName: string
  caller: string
  destination: string
  durationSeconds: number
  billedSeconds: number
  /** Rate per minute, in millionths of a dollar; null for a call without a rate. */
  perMinute: number | null
  /** Billed amount, in 1/10,000 dollar. */
  amount: number
  startedAt: number
  endedAt: number
  /** The audio of the call's own leg, as the media server counted it; null without an answer. */
  codec: string | null
  packetsReceived: number | null
  packetsSent: number | null
  lossPercent: number | null
  jitterMs: number | null
  /** The E-model's estimate for what was received, 1 to 4.5. */
  mos: number | null
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

/** Operators find the calls that sounded bad without reading the events of each. */
export const ratingAudio: Migration = {
  name: 'rating/2-audio',
  after: [ratingBaseline],
  statements: () => `
alter table cdrs add column codec text;
alter table cdrs add column "packetsReceived" integer;
alter table cdrs add column "packetsSent" integer;
alter table cdrs add column "lossPercent" double precision;
alter table cdrs add column "jitterMs" double precision;
alter table cdrs add column mos double precision;
`,
}
