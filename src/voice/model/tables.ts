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
  account_sid: string
  /** The name of the node that has the call, which is the one that recovers it. */
  node: string
  parent_call_sid: string | null
  direction: 'inbound' | 'outbound-api' | 'outbound-dial'
  to_address: string
  from_address: string
  caller_name: string | null
  forwarded_from: string | null
  phone_number_sid: string | null
  status: string
  answered_by: string | null
  started_at: number | null
  answered_at: number | null
  ended_at: number | null
  duration_seconds: number | null
  queue_ms: number
  sip_call_id: string | null
  /** The headers as ordered [name, value] pairs in JSON. */
  sip_headers: string | null
  /** The Request-URI's host of an inbound call; `sip_source_ip` is the address that sent it. */
  sip_domain: string | null
  sip_source_ip: string | null
  /** The SIP domain that was called, and the user who has shown credentials for it. */
  sip_domain_sid: string | null
  sip_username: string | null
  /** The CallerIdentity as JSON: what STIR/SHAKEN says of the caller of an inbound call. */
  caller_identity: string | null
  sip_status: number | null
  end_reason: string | null
  /** The CallPlan as JSON: the markup to run on answer, the callbacks, the ringing time. */
  plan: UrlsJsonColumn
  /** The number of status callbacks sent so far: the next SequenceNumber. */
  callback_count: number
  /** The CallTerms as JSON; null for a call that costs nothing. */
  terms: string | null
  /** The price in 1/10,000 dollar, once a call with terms has ended. */
  price: number | null
  created_at: number
  updated_at: number
}

/**
 * A call has ended late when more time passed from its creation to its end. Few do: those that were
 * recovered after a long outage, and those with a very long Dial. The index `calls_ended_late` has this
 * number in it, so it never changes.
 */
export const ENDED_LATE_MS = 108_000_000

export const callsBaseline: Migration = {
  name: 'calls/1-baseline',
  after: [accountsBaseline],
  statements: () => `
create table calls (
  sid text primary key,
  account_sid text not null references accounts (sid),
  node text not null,
  parent_call_sid text,
  direction text not null,
  to_address text not null,
  from_address text not null,
  caller_name text,
  forwarded_from text,
  phone_number_sid text,
  status text not null,
  answered_by text,
  started_at bigint,
  answered_at bigint,
  ended_at bigint,
  duration_seconds integer,
  queue_ms bigint not null,
  sip_call_id text,
  sip_status integer,
  end_reason text,
  plan text not null,
  callback_count integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  sip_headers text,
  sip_domain text,
  sip_source_ip text,
  sip_domain_sid text,
  sip_username text,
  caller_identity text,
  terms text,
  price bigint
);
create index calls_by_account on calls (account_sid, created_at desc, sid desc);
create index calls_unfinished on calls (node) where ended_at is null;
create index calls_by_to on calls (account_sid, to_address, created_at desc, sid desc);
create index calls_by_from on calls (account_sid, from_address, created_at desc, sid desc);
create index calls_by_status on calls (account_sid, status, created_at desc, sid desc);
create index calls_by_parent on calls (account_sid, parent_call_sid, created_at desc, sid desc)
  where parent_call_sid is not null;
`,
}

/** A filter by the time of the end finds the calls that have ended late by an index of their own. */
export const callsEndedLate: Migration = {
  name: 'calls/2-ended-late',
  after: [callsBaseline],
  statements: () => `
create index calls_ended_late on calls (account_sid, created_at desc, sid desc)
  where ended_at - created_at > 108000000;
`,
}
