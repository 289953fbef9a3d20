/**
 * Every table, as the typed query builder sees it. Times are epoch milliseconds, booleans 0 or 1,
 * JSON columns text; wire formats appear only at the edge.
 */
import type { Generated } from 'kysely'
import type { RegistrySchema } from './registry-schema.js'

export interface AccountsTable {
  sid: string
  friendly_name: string
  status: 'active' | 'suspended' | 'closed'
  /** SHA-256 of the secret, for looking up a Bearer key. */
  secret_hash: string
  /** AES-GCM: it must be returned and used to sign. */
  secret_sealed: string
  /** ISO country codes, JSON array; empty disables number validation. */
  phone_regions: string
  /** AccountSettings as JSON, its secrets sealed. */
  settings: Generated<string>
  created_at: number
  updated_at: number
}

export interface PhoneNumbersTable {
  sid: string
  account_sid: string
  phone_number: string
  voice_url: string | null
  voice_method: 'GET' | 'POST'
  voice_fallback_url: string | null
  voice_fallback_method: 'GET' | 'POST'
  status_callback: string | null
  status_callback_method: 'GET' | 'POST'
  created_at: number
  updated_at: number
}

export interface CarriersTable {
  id: Generated<number>
  name: string
  host: string
  port: number
  transport: 'udp' | 'tcp'
  /** E.164 prefixes it takes, JSON array; `+` alone takes every number. */
  prefixes: string
  priority: number
  weight: number
  /** CIDRs that its INVITEs come from, JSON array. */
  addresses: string
  username: string | null
  password_sealed: string | null
  created_at: number
}

export interface CallsTable {
  sid: string
  account_sid: string
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
  /** Ordered [name, value] pairs, JSON. */
  sip_headers: string | null
  /** Both of an inbound call. */
  sip_domain: string | null
  sip_source_ip: string | null
  sip_status: number | null
  end_reason: string | null
  /** CallPlan as JSON: what to run on answer, whom to tell, how long to ring. */
  plan: string
  /** Status callbacks sent so far: the next SequenceNumber. */
  callback_count: number
  created_at: number
  updated_at: number
}

/** How many calls an account has; triggers on `calls` keep it. */
export interface CallCountsTable {
  account_sid: string
  calls: number
}

export interface CallEventsTable {
  id: Generated<number>
  call_sid: string
  account_sid: string
  at: number
  kind: string
  /** JSON, without secrets, strings capped. */
  detail: string
}

/** Rows of calls that are not over, and of those whose dialog still needs a BYE. */
export interface LiveDialogsTable {
  call_sid: string
  /** DialogFacts, JSON. */
  facts: string
}

export interface ConferencesTable {
  sid: string
  account_sid: string
  friendly_name: string
  status: 'init' | 'in-progress' | 'completed'
  reason_ended: string | null
  /** Sid of the call whose leaving ended it. */
  ended_by: string | null
  /** JSON: who is told what of it. */
  callback: string | null
  /** Events so far. */
  sequence: number
  created_at: number
  updated_at: number
}

export interface QueuesTable {
  sid: string
  account_sid: string
  friendly_name: string
  max_size: number
  created_at: number
  updated_at: number
}

/** Rows of callers who are in a queue, or talk to whom it connected them with. */
export interface QueueMembersTable {
  call_sid: string
  account_sid: string
  queue_sid: string
  enqueued_at: number
  bridged_at: number | null
  action_url: string | null
  action_method: 'GET' | 'POST'
}

export interface IdempotencyKeysTable {
  account_sid: string
  key: string
  call_sid: string
  created_at: number
}

export interface StreamsTable {
  sid: string
  account_sid: string
  call_sid: string
  name: string | null
  url: string
  /** As it was asked for. */
  track: string
  kind: 'one-way' | 'two-way'
  status: 'in-progress' | 'stopped'
  callback_url: string | null
  callback_method: 'GET' | 'POST'
  created_at: number
  updated_at: number
}

export interface RecordingsTable {
  sid: string
  account_sid: string
  call_sid: string
  /** Null: of the call alone. */
  conference_sid: string | null
  status: string
  source: string
  channels: number
  track: string
  trim: string
  /** Longer it does not become. */
  max_ms: number | null
  /** RecordingCallback, JSON. */
  callback: string | null
  started_at: number
  /** Of the finished file. */
  duration_ms: number | null
  error_code: number | null
  created_at: number
  updated_at: number
}

export interface RecordingArchiveTable {
  sid: string
  account_sid: string
  call_sid: string
  action: 'upload' | 'delete'
  state: 'pending' | 'stored' | 'given-up'
  /** Of the object, once anything may be there. */
  url: string | null
  region: string | null
  attempts: number
  next_attempt_at: number
  /** Of the last attempt that failed. */
  error_code: number | null
  created_at: number
}

export interface OutboxTable {
  id: Generated<number>
  /** Rows of one stream go out strictly in order: the call's sid. */
  stream: string
  account_sid: string
  kind: string
  url: string
  method: string
  /** Ordered [name, value] pairs, JSON. */
  params: string
  created_at: number
  next_attempt_at: number
  attempts: number
  /** `waiting`: behind a pending row of its stream. */
  state: 'pending' | 'waiting' | 'delivered' | 'dead'
  last_status: number | null
  last_error: string | null
  idempotency_token: string
}

export interface Schema extends RegistrySchema {
  accounts: AccountsTable
  phone_numbers: PhoneNumbersTable
  carriers: CarriersTable
  calls: CallsTable
  call_counts: CallCountsTable
  call_events: CallEventsTable
  outbox: OutboxTable
  live_dialogs: LiveDialogsTable
  conferences: ConferencesTable
  queues: QueuesTable
  queue_members: QueueMembersTable
  idempotency_keys: IdempotencyKeysTable
  streams: StreamsTable
  recordings: RecordingsTable
  recording_archive: RecordingArchiveTable
}
