import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    caller_ids: CallerIdsTable
    caller_id_verifications: CallerIdVerificationsTable
    caller_id_attempts: CallerIdAttemptsTable
  }
}

/** The numbers that an account has verified. */
export interface CallerIdsTable {
  sid: string
  account_sid: string
  phone_number: string
  friendly_name: string
  created_at: number
  updated_at: number
}

/** The verification calls that are under way. */
export interface CallerIdVerificationsTable {
  call_sid: string
  account_sid: string
  phone_number: string
  friendly_name: string
  /** The code that the called party enters, sealed. */
  code_sealed: string
  status_callback: UrlColumn<null>
  status_callback_method: WebhookMethod
  created_at: number
}

/** The verification calls of the last hour, which are limited. */
export interface CallerIdAttemptsTable {
  call_sid: string
  account_sid: string
  phone_number: string
  created_at: number
}

export const callerIdsBaseline: Migration = {
  name: 'caller-ids/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table caller_ids (
  sid text primary key,
  account_sid text not null references accounts (sid),
  phone_number text not null,
  friendly_name text not null,
  created_at bigint not null,
  updated_at bigint not null
)${byKey};
create unique index caller_ids_by_number on caller_ids (account_sid, phone_number);
create index caller_ids_by_account on caller_ids (account_sid, created_at desc, sid desc);
create table caller_id_verifications (
  call_sid text primary key,
  account_sid text not null,
  phone_number text not null,
  friendly_name text not null,
  code_sealed text not null,
  status_callback text,
  status_callback_method text not null,
  created_at bigint not null
)${byKey};
create unique index caller_id_verifications_by_number
  on caller_id_verifications (account_sid, phone_number);
`,
}

export const callerIdAttempts: Migration = {
  name: 'caller-ids/2-attempts',
  after: [callerIdsBaseline],
  statements: ({ byKey }) => `
create table caller_id_attempts (
  call_sid text primary key,
  account_sid text not null,
  phone_number text not null,
  created_at bigint not null
)${byKey};
create index caller_id_attempts_by_account on caller_id_attempts (account_sid, created_at);
create index caller_id_attempts_by_number on caller_id_attempts (phone_number, created_at);
create index caller_id_attempts_by_time on caller_id_attempts (created_at);
`,
}
