import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'
import type { UrlsJsonColumn } from '../../platform/database/tables.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    calls: CallsTable
  }
}

export interface CallsTable {
  sid: string
  accountSid: string
  /** The name of the node that runs the call and recovers it. */
  node: string
  parentCallSid: string | null
  direction: 'inbound' | 'outbound-api' | 'outbound-dial'
  toAddress: string
  fromAddress: string
  callerName: string | null
  forwardedFrom: string | null
  phoneNumberSid: string | null
  status: string
  answeredBy: string | null
  startedAt: number | null
  answeredAt: number | null
  endedAt: number | null
  durationSeconds: number | null
  queueMs: number
  sipCallId: string | null
  /** The headers as ordered [name, value] pairs in JSON. */
  sipHeaders: string | null
  /** The Request-URI's host of an inbound call; `sipSourceIp` is the address that sent it. */
  sipDomain: string | null
  sipSourceIp: string | null
  /** The called SIP domain, and the username of the caller's credentials. */
  sipDomainSid: string | null
  sipUsername: string | null
  /** CallerIdentity as JSON: the STIR/SHAKEN result about the caller of an inbound call. */
  callerIdentity: string | null
  sipStatus: number | null
  endReason: string | null
  /** CallPlan as JSON: the markup to run on answer, the callbacks, the ring time. */
  plan: UrlsJsonColumn
  /** The number of status callbacks sent so far, which is the next SequenceNumber. */
  callbackCount: number
  /** CallTerms as JSON; null for a free call. */
  terms: string | null
  /** The price in 1/10,000 dollar, once a call with terms has ended. */
  price: number | null
  createdAt: number
  updatedAt: number
}

/**
 * A call has ended late when more than this many ms passed from its creation to its end. Few do: those
 * recovered after a long outage, and those with a very long Dial. The index `calls_ended_late` contains this
 * number, so it never changes.
 */
export const ENDED_LATE_MS = 108_000_000

export const callsBaseline: Migration = {
  name: 'calls/1-baseline',
  after: [accountsBaseline],
  statements: () => `
create table calls (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  node text not null,
  "parentCallSid" text,
  direction text not null,
  "toAddress" text not null,
  "fromAddress" text not null,
  "callerName" text,
  "forwardedFrom" text,
  "phoneNumberSid" text,
  status text not null,
  "answeredBy" text,
  "startedAt" bigint,
  "answeredAt" bigint,
  "endedAt" bigint,
  "durationSeconds" integer,
  "queueMs" bigint not null,
  "sipCallId" text,
  "sipStatus" integer,
  "endReason" text,
  plan text not null,
  "callbackCount" integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  "sipHeaders" text,
  "sipDomain" text,
  "sipSourceIp" text,
  "sipDomainSid" text,
  "sipUsername" text,
  "callerIdentity" text,
  terms text,
  price bigint
);
create index calls_by_account on calls ("accountSid", "createdAt" desc, sid desc);
create index calls_unfinished on calls (node) where "endedAt" is null;
create index calls_by_to on calls ("accountSid", "toAddress", "createdAt" desc, sid desc);
create index calls_by_from on calls ("accountSid", "fromAddress", "createdAt" desc, sid desc);
create index calls_by_status on calls ("accountSid", status, "createdAt" desc, sid desc);
create index calls_by_parent on calls ("accountSid", "parentCallSid", "createdAt" desc, sid desc)
  where "parentCallSid" is not null;
`,
}

/** The index with which a filter by end time finds the calls that ended late. */
export const callsEndedLate: Migration = {
  name: 'calls/2-ended-late',
  after: [callsBaseline],
  statements: () => `
create index calls_ended_late on calls ("accountSid", "createdAt" desc, sid desc)
  where "endedAt" - "createdAt" > 108000000;
`,
}
